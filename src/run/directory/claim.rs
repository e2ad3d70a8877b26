//! Who writes a run directory: a file that names host and process, kept alive by a heartbeat.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use crate::run::error::RunError;

/// A claim whose heartbeat is older is that of a dead process.
const DEAD_AFTER: Duration = Duration::from_mins(2);
/// How often the heartbeat is renewed, at most.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// The claim of this process; given back when it is dropped.
pub struct Claim {
    path: PathBuf,
    text: String,
    renewed: Instant,
}

impl Claim {
    /// Claims a directory. A claim of a process that is gone is taken over.
    pub fn take(directory: &Path) -> Result<Self, RunError> {
        let path = directory.join("claim");
        let process = std::process::id();
        let text = format!("{}\n{process}\n{}\n", host(), birth_of(&process.to_string()).unwrap_or_default());
        for _ in 0..3 {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    file.write_all(text.as_bytes())
                        .map_err(|source| RunError::Disk { path: path.clone(), source })?;
                    return Ok(Self { path, text, renewed: Instant::now() });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    if Self::is_alive(directory) {
                        break;
                    }
                    take_away(&path);
                }
                Err(source) => return Err(RunError::Disk { path, source }),
            }
        }
        let owner = std::fs::read_to_string(&path).unwrap_or_default();
        let mut lines = owner.lines();
        let (host, process) = (lines.next().unwrap_or("?"), lines.next().unwrap_or("?"));
        Err(RunError::Claimed { path: directory.to_owned(), owner: format!("process {process} on {host}") })
    }

    /// Whether some process writes the directory.
    pub fn is_alive(directory: &Path) -> bool {
        let path = directory.join("claim");
        let Ok(text) = std::fs::read_to_string(&path) else { return false };
        let mut lines = text.lines();
        let (owner, process, birth) = (lines.next(), lines.next(), lines.next());
        if owner == Some(host().as_str())
            && let Some(process) = process
            && Path::new("/proc/self/stat").exists()
        {
            // A process number is used again; the moment of birth tells a namesake apart.
            return birth_of(process).is_some_and(|born| Some(born.as_str()) == birth);
        }
        let modified = std::fs::metadata(&path).and_then(|about| about.modified());
        modified.is_ok_and(|at| SystemTime::now().duration_since(at).unwrap_or_default() < DEAD_AFTER)
    }

    fn is_mine(&self) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|text| text == self.text)
    }

    /// Renews the heartbeat, when it is due.
    pub fn keep_alive(&mut self) {
        if self.renewed.elapsed() > HEARTBEAT {
            self.renewed = Instant::now();
            // A heartbeat that fails once is renewed the next time.
            if self.is_mine() {
                let _ = std::fs::write(&self.path, &self.text);
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_mine() {
            let _ = std::fs::remove_file(&self.path); // nothing can be done about it here; the claim expires
        }
    }
}

fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// When a process of this host was born, in the system's ticks, where it lives and the system tells.
fn birth_of(process: &str) -> Option<String> {
    let about = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    // The name in brackets may hold spaces; the moment of birth is the 20th field behind it.
    about.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// Takes a dead claim away: renamed first, so that of two processes only one takes it, and never a new one.
fn take_away(path: &Path) {
    let aside = path.with_extension(format!("dead-{}", std::process::id()));
    if std::fs::rename(path, &aside).is_ok() {
        let _ = std::fs::remove_file(&aside); // it is in nobody's way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let claim = Claim::take(folder.path()).unwrap();
        assert!(matches!(Claim::take(folder.path()), Err(RunError::Claimed { .. })));
        drop(claim);
        assert!(Claim::take(folder.path()).is_ok());
    }

    #[test]
    fn the_claim_of_a_dead_process_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("claim"), format!("{}\n999999999\n", host())).unwrap();
        if Path::new("/proc/self").exists() {
            assert!(Claim::take(folder.path()).is_ok());
            // The number of a living process, but of another one that had it before.
            std::fs::write(folder.path().join("claim"), format!("{}\n1\nlong ago\n", host())).unwrap();
            assert!(Claim::take(folder.path()).is_ok());
        }
    }
}
