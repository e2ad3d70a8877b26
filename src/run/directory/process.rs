//! Which process claims a directory, and whether one lives, as far as Linux's `/proc` shows it.

use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Identifies this process, as its claims name it: host, number, start time, and where that number means this process. The last two are
/// empty where there is no `/proc`.
pub fn identity() -> [String; 4] {
    let process = std::process::id().to_string();
    let realm = realm().unwrap_or_default();
    let birth = if realm.is_empty() { String::new() } else { birth_of(&process).unwrap_or_default() };
    [host(), process, birth, realm]
}

/// Returns true if the process of a claim lives; its lines are those of [`identity`], and claims of earlier versions have three.
/// `None` where `/proc` does not show it: it does not list processes of other hosts and other containers, and with `hidepid` not
/// those of other users. A process that is seen lives; one that is not seen is dead only where it would be seen.
pub fn is_alive<'a>(claim: impl IntoIterator<Item = &'a str>) -> Option<bool> {
    let mut lines = claim.into_iter();
    let [owner, process, birth] = [lines.next()?, lines.next()?, lines.next()?];
    let theirs = lines.next().filter(|realm| !realm.is_empty());
    let is_here = theirs.map_or(owner == host(), |theirs| realm().as_deref() == Some(theirs));
    if !is_here {
        return None;
    }
    match birth_of(process) {
        // The system reuses process numbers, so the start time counts too.
        Ok(found) if found == birth => Some(true),
        Err(error) if error.kind() != ErrorKind::NotFound => None,
        Ok(_) | Err(_) => (theirs.is_some() && shows_everybody()).then_some(false),
    }
}

pub fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// Names the process that a claim with this text names.
pub fn owner_of(text: &str) -> String {
    let mut lines = text.lines();
    let (host, process) = (lines.next().unwrap_or("?"), lines.next().unwrap_or("?"));
    format!("process {process} on {host}")
}

/// Identifies where process numbers mean what they mean to this process: the system since its start, and its namespaces (`namespaces(7)`).
/// `None` where there is no `/proc`, or one of another namespace.
fn realm() -> Option<String> {
    let own = std::fs::read_link("/proc/self").ok()?;
    if own != Path::new(&std::process::id().to_string()) {
        return None;
    }
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let namespace = |name| std::fs::read_link(Path::new("/proc/self/ns").join(name));
    let processes = namespace("pid").ok()?;
    let times = namespace("time").unwrap_or_default(); // start times count from its beginning; Linux has it since 5.6
    Some(format!("{} {} {}", boot.trim(), processes.display(), times.display()))
}

/// Reads the start time of a process, in the system's ticks; the error is `NotFound` where it is dead.
fn birth_of(process: &str) -> Result<String> {
    let damaged = || Error::from(ErrorKind::InvalidData);
    process.parse::<u32>().map_err(|_| damaged())?;
    let about = std::fs::read_to_string(Path::new("/proc").join(process).join("stat"))?;
    // The name in brackets may hold spaces; the state follows it, and the start time is the 20th field after it.
    let mut fields = about.rsplit_once(')').ok_or_else(damaged)?.1.split_whitespace();
    let state = fields.next().ok_or_else(damaged)?;
    if ["Z", "X"].contains(&state) {
        return Err(ErrorKind::NotFound.into()); // killed, and its parent has not asked for its end
    }
    fields.nth(18).map(str::to_owned).ok_or_else(damaged)
}

fn shows_everybody() -> bool {
    std::fs::read_to_string("/proc/self/mounts").is_ok_and(|mounts| !hides_processes(&mounts))
}

/// Returns true if `/proc` lists only the processes of its reader (`hidepid` in `proc(5)`), by the table of mounts.
fn hides_processes(mounts: &str) -> bool {
    mounts.lines().any(|mount| {
        let fields: Vec<&str> = mount.split(' ').collect();
        fields.get(1) == Some(&"/proc")
            && fields
                .get(3)
                .is_some_and(|options| options.split(',').any(|option| option.starts_with("hidepid=")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(claim: &[String; 4]) -> [&str; 4] {
        claim.each_ref().map(String::as_str)
    }

    #[test]
    fn a_process_that_is_not_seen_is_dead_only_where_it_would_be_seen() {
        let own = identity();
        if own[3].is_empty() || !shows_everybody() {
            return;
        }
        assert_eq!(is_alive(lines(&own)), Some(true));
        let [host, process, birth, realm] = lines(&own);
        for (claim, expected, what) in [
            (vec![host, "999999999", "1", realm], Some(false), "there is no such process"),
            (vec![host, process, "1", realm], Some(false), "the number of another process now"),
            (vec!["renamed", process, birth, realm], Some(true), "the name of a host is no proof"),
            (vec![host, "999999999", "1", "another boot or container"], None, "it would not be seen"),
            (vec![host, process, birth, "another boot or container"], None, "a like number elsewhere"),
            (vec![host, "999999999", "1"], None, "an earlier version does not say where it ran"),
            (vec![host, process, birth], Some(true), "an earlier version, and it is seen"),
            (vec![host, process, "", ""], None, "it could not tell its start time"),
            (vec!["elsewhere", process, birth], None, "another host"),
            (vec![host, "../self", birth, realm], None, "no number"),
            (vec![host, process], None, "half a claim"),
        ] {
            assert_eq!(is_alive(claim), expected, "{what}");
        }
    }

    #[test]
    fn mounts_tell_whether_processes_of_others_are_hidden() {
        let plain = "sysfs /sys sysfs rw 0 0\nproc /proc proc rw,nosuid,relatime 0 0\n";
        assert!(!hides_processes(plain));
        for option in ["hidepid=2", "hidepid=invisible", "hidepid=ptraceable", "gid=4,hidepid=noaccess"] {
            assert!(hides_processes(&plain.replace("relatime", option)), "{option}");
        }
        assert!(!hides_processes(&format!("{plain}proc /jail/proc proc rw,hidepid=2 0 0\n")));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_killed_process_is_dead_before_its_parent_has_asked_for_its_end() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let process = child.id().to_string();
        let birth = birth_of(&process).unwrap();
        let [host, _, _, realm] = identity();
        assert_eq!(is_alive([&*host, &process, &birth, &realm]), Some(true));
        child.kill().unwrap();
        let began = std::time::Instant::now();
        while is_alive([&*host, &process, &birth, &realm]) == Some(true) {
            assert!(began.elapsed().as_secs() < 10, "it seems to live");
        }
        child.wait().unwrap();
    }
}
