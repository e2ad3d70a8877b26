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
        let text = format!("{}\n{}\n", host(), std::process::id());
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
                    let _ = std::fs::remove_file(&path); // another process may have been faster
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
        let (owner, process) = (lines.next(), lines.next());
        if owner == Some(host().as_str())
            && let Some(alive) = process.and_then(process_is_alive)
        {
            return alive;
        }
        let modified = std::fs::metadata(&path).and_then(|about| about.modified());
        modified.is_ok_and(|at| SystemTime::now().duration_since(at).unwrap_or_default() < DEAD_AFTER)
    }

    /// Renews the heartbeat, when it is due.
    pub fn keep_alive(&mut self) {
        if self.renewed.elapsed() > HEARTBEAT {
            self.renewed = Instant::now();
            // A heartbeat that fails once is renewed the next time.
            let _ = std::fs::write(&self.path, &self.text);
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path); // nothing can be done about it here; the claim expires
    }
}

fn host() -> String {
    gethostname::gethostname().to_string_lossy().into_owned()
}

/// Whether a process of this host lives, where the system tells without further libraries.
fn process_is_alive(process: &str) -> Option<bool> {
    let processes = Path::new("/proc");
    processes.join("self").exists().then(|| processes.join(process).exists())
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
        }
    }
}
