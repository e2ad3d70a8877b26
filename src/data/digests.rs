//! SHA-256 digests of files, kept from one start of the program to the next.
//!
//! A digest is taken from the cache where path, length, modification time, time of the last change of the inode and its number
//! are those of the file that was hashed. A file that changed within the last seconds is hashed in any case: a second change
//! could have left the same times (git calls such files racy).

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use flate2::bufread::GzDecoder;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::samples::Store;
use crate::{DataError, Dataset, Places};
use form::number::hexadecimal;

/// Times of files may be as coarse as this.
const RACY: Duration = Duration::from_secs(3);
const BLOCK: usize = 1 << 16;
/// A gzip stream that unpacks to more is no file of a known set.
const MOST_UNPACKED: u64 = 4 << 30;
/// A cache of more bytes is begun anew: a line has about 150, and ImageNet 1.3 million files.
const LONGEST_CACHE: u64 = 1 << 30;

/// The state of a file that tells a changed one from an unchanged one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    bytes: u64,
    modified: u128,
    changed: u128,
    inode: u64,
}

impl Stat {
    /// Returns the state of a file or folder; none where there is none.
    pub(crate) fn read(path: &Path) -> Option<Self> {
        let about = path.metadata().ok()?;
        let stat = Self::from_metadata(&about);
        Some(if about.is_file() { stat } else { Self { bytes: 0, ..stat } })
    }

    fn from_metadata(about: &Metadata) -> Self {
        let since = |time: std::io::Result<SystemTime>| {
            time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default().as_nanos()
        };
        let modified = since(about.modified());
        #[cfg(unix)]
        let (changed, inode) = {
            use std::os::unix::fs::MetadataExt;
            let nanos = i128::from(about.ctime()) * 1_000_000_000 + i128::from(about.ctime_nsec());
            (nanos.max(0) as u128, about.ino())
        };
        #[cfg(not(unix))]
        let (changed, inode) = (since(about.created()), 0);
        Self { bytes: about.len(), modified, changed, inode }
    }

    /// Returns true if the file has not changed for so long that another change can be told from the last one.
    fn is_settled(&self, since: Duration) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        now.saturating_sub(since).as_nanos() > self.modified.max(self.changed)
    }
}

/// By the path, of the bytes or of what they unpack to, where they are a gzip stream.
type Known = BTreeMap<(bool, PathBuf), (Stat, String)>;

/// Digests of files. Those of an earlier start are read from the user's cache folder, new ones are written there on drop.
#[derive(Debug)]
pub struct Digests {
    cache: Option<PathBuf>,
    settled: Duration,
    /// Read when the first file is asked for that has not changed since.
    read: OnceLock<Cached>,
    new: Mutex<String>,
}

/// The content of the cache, and what was added since.
#[derive(Debug)]
struct Cached {
    known: Mutex<Known>,
    /// Most lines were of files that have changed since: the cache is written anew.
    is_worn: bool,
}

impl Cached {
    fn read(cache: Option<&PathBuf>) -> Self {
        let is_short = |cache: &&PathBuf| cache.metadata().is_ok_and(|about| about.len() <= LONGEST_CACHE);
        let text = cache.filter(is_short).and_then(|cache| std::fs::read_to_string(cache).ok());
        let text = text.unwrap_or_default();
        let known: Known = text.lines().filter_map(parse).collect(); // of several lines for a file, the last one counts
        let is_worn = text.lines().count() > 1000 + 2 * known.len();
        Self { known: Mutex::new(known), is_worn }
    }
}

impl Digests {
    /// Opens the user's cache. Without one, or where it cannot be read, every file is hashed.
    pub fn open() -> Self {
        Self::open_in(Places::from_env(Path::new("")).cache, RACY)
    }

    fn open_in(folder: Option<PathBuf>, settled: Duration) -> Self {
        let cache = folder.map(|folder| folder.join("digests"));
        Self { cache, settled, read: OnceLock::new(), new: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        lock(&self.read.get_or_init(|| Cached::read(self.cache.as_ref())).known)
    }

    /// Returns the SHA-256 of a file in hexadecimal.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn file(&self, path: &Path) -> Result<String, DataError> {
        self.digest(path, false)
    }

    /// Returns the 32 bytes of [`Self::file`].
    pub(crate) fn bytes(&self, path: &Path) -> Result<Vec<u8>, DataError> {
        let digest = self.file(path)?;
        let byte = |at| u8::from_str_radix(&digest[at..at + 2], 16).expect("a digest is hexadecimal");
        Ok((0..digest.len()).step_by(2).map(byte).collect())
    }

    /// Returns the SHA-256 of files under their names: of a line with digest and name for each, in this order. One file alone
    /// stands for itself, whatever its name.
    ///
    /// # Errors
    /// The first file that cannot be read.
    pub fn content(&self, files: &[(String, PathBuf)]) -> Result<String, DataError> {
        if let [(_, path)] = files {
            return self.file(path);
        }
        self.listed(files, false)
    }

    /// Returns [`Self::content`] of what gzip streams among the files unpack to, whatever their names end in; always of
    /// lines.
    ///
    /// # Errors
    /// The first file that cannot be read or unpacked.
    pub fn unpacked_content(&self, files: &[(String, PathBuf)]) -> Result<String, DataError> {
        self.listed(files, true)
    }

    fn listed(&self, files: &[(String, PathBuf)], is_unpacked: bool) -> Result<String, DataError> {
        let digests: Vec<Result<String, DataError>> =
            files.par_iter().map(|(_, path)| self.digest(path, is_unpacked)).collect();
        let mut hash = Sha256::new();
        for ((name, _), digest) in files.iter().zip(digests) {
            hash.update(format!("{} {name}\n", digest?));
        }
        Ok(hexadecimal(&hash.finalize()))
    }

    fn digest(&self, path: &Path, is_unpacked: bool) -> Result<String, DataError> {
        let unreadable = DataError::unreadable(path);
        let stat = Stat::from_metadata(&path.metadata().map_err(unreadable)?);
        let full = std::path::absolute(path).map_err(unreadable)?;
        let key = (is_unpacked, full);
        if stat.is_settled(self.settled)
            && let Some((known, digest)) = self.known().get(&key)
            && *known == stat
        {
            return Ok(digest.clone());
        }
        let mut file = File::open(path).map_err(unreadable)?;
        let digest = hash(&mut file, is_unpacked).map_err(unreadable)?;
        // Only if it was not written meanwhile.
        let after = Stat::from_metadata(&file.metadata().map_err(unreadable)?);
        if after == stat && stat.is_settled(self.settled) {
            if let Some(line) = line(is_unpacked, &key.1, &stat, &digest) {
                lock(&self.new).push_str(&line);
            }
            self.known().insert(key, (stat, digest.clone()));
        }
        Ok(digest)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds new digests to the cache. What cannot be written is hashed again the next time.
impl Drop for Digests {
    fn drop(&mut self) {
        let mut new = std::mem::take(self.new.get_mut().unwrap_or_else(PoisonError::into_inner));
        let is_worn = self.read.get().is_some_and(|read| read.is_worn);
        if is_worn {
            let known = self.known();
            let lines = known
                .iter()
                .map(|((is_unpacked, path), (stat, digest))| line(*is_unpacked, path, stat, digest));
            new = lines.flatten().collect();
        }
        let Some(cache) = self.cache.as_ref().filter(|_| !new.is_empty()) else { return };
        let _ = cache.parent().map(std::fs::create_dir_all);
        let is_long = is_worn || cache.metadata().is_ok_and(|about| about.len() > LONGEST_CACHE);
        let file = File::options().create(true).append(!is_long).write(true).truncate(is_long).open(cache);
        // One call: lines of several processes do not mix.
        let _ = file.and_then(|mut file| file.write_all(new.as_bytes()));
    }
}

/// Returns a line of the cache; none for paths that a line cannot hold.
fn line(is_unpacked: bool, path: &Path, stat: &Stat, digest: &str) -> Option<String> {
    let path = path.to_str().filter(|path| !path.contains('\n'))?;
    let Stat { bytes, modified, changed, inode } = stat;
    let form = if is_unpacked { "unpacked" } else { "file" };
    Some(format!("{digest} {form} {bytes} {modified} {changed} {inode} {path}\n"))
}

fn parse(line: &str) -> Option<((bool, PathBuf), (Stat, String))> {
    let mut parts = line.splitn(7, ' ');
    let is_digest = |text: &&str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let digest = parts.next().filter(is_digest)?;
    let form = parts.next().filter(|form| matches!(*form, "file" | "unpacked"))?;
    let bytes = parts.next()?.parse().ok()?;
    let (modified, changed) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let inode = parts.next()?.parse().ok()?;
    let path = parts.next()?.into();
    Some(((form == "unpacked", path), (Stat { bytes, modified, changed, inode }, digest.to_owned())))
}

fn hash(file: &mut File, is_unpacked: bool) -> std::io::Result<String> {
    let mut magic = Vec::new();
    Read::by_ref(file).take(2).read_to_end(&mut magic)?;
    file.rewind()?;
    let mut source: Box<dyn Read + '_> = if is_unpacked && magic == crate::files::GZIP_MAGIC {
        Box::new(GzDecoder::new(std::io::BufReader::new(file)).take(MOST_UNPACKED))
    } else {
        Box::new(file)
    };
    copied(&mut source, &mut std::io::sink()).map(|(_, digest)| digest)
}

/// Copies everything; returns its length in bytes and its SHA-256 in hexadecimal.
///
/// # Errors
/// Those of reading and of writing.
pub fn copied(from: &mut dyn Read, to: &mut dyn Write) -> std::io::Result<(u64, String)> {
    let (mut hash, mut block, mut bytes) = (Sha256::new(), vec![0; BLOCK], 0);
    loop {
        let count = match from.read(&mut block) {
            Ok(0) => return Ok((bytes, hexadecimal(&hash.finalize()))),
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hash.update(&block[..count]);
        to.write_all(&block[..count])?;
        bytes += count as u64;
    }
}

impl Dataset {
    /// Returns the SHA-256 of all samples as the run sees them, in hexadecimal: of each part (training, validation, test)
    /// the shape and the number of samples as 64-bit integers, the labels as 32-bit integers and the values as float32, all
    /// of them little-endian. Pictures that are decoded when they are needed stand for their values with names, lengths and
    /// contents of their files, and with how they are prepared.
    ///
    /// # Errors
    /// A picture that cannot be read.
    pub fn digest(&self, digests: &Digests) -> Result<String, DataError> {
        let mut hash = Sha256::new();
        for part in [&self.train, &self.validation, &self.test] {
            let shape = part.shape;
            for size in [shape.channels, shape.height, shape.width, part.len()] {
                hash.update((size as u64).to_le_bytes());
            }
            for block in part.labels.chunks(BLOCK / 4) {
                hash.update(block.iter().flat_map(|label| label.to_le_bytes()).collect::<Vec<u8>>());
            }
            match part.store() {
                Store::Values(_) | Store::Exact(_) => {
                    for block in part.values()?.chunks(BLOCK / 4) {
                        hash.update(block.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
                    }
                }
                Store::Pictures(pictures) => pictures.hash(&mut hash, digests)?,
            }
        }
        Ok(hexadecimal(&hash.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Folder, gzip};

    #[test]
    fn a_digest_is_that_of_the_content_packed_or_not() {
        let folder = Folder::new("digests");
        folder.write("a", b"abc");
        folder.write("a.gz", &gzip(b"abc"));
        let digests = Digests::open_in(None, RACY);
        // FIPS 180-4, the first example.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digests.file(&folder.join("a")).unwrap(), abc);
        let unpacked = |name: &str| digests.digest(&folder.join(name), true).unwrap();
        assert_eq!([unpacked("a"), unpacked("a.gz")], [abc, abc]);
        assert_ne!(digests.file(&folder.join("a.gz")).unwrap(), abc);
        let files = |names: [&str; 2]| names.map(|name| (name.to_owned(), folder.join(name)));
        let both = digests.content(&files(["a", "a.gz"])).unwrap();
        assert_ne!(both, digests.content(&files(["a.gz", "a"])).unwrap());
        assert_eq!(digests.content(&[("other name".to_owned(), folder.join("a"))]).unwrap(), abc);
        assert!(digests.file(&folder.join("none")).is_err());
    }

    #[test]
    fn only_files_that_nothing_tells_from_before_are_taken_from_the_cache() {
        const SETTLED: Duration = Duration::from_millis(100);
        let folder = Folder::new("digests-cache");
        let (cache, path) = (folder.join("cache"), folder.join("w.pth"));
        let open = || Digests::open_in(Some(cache.clone()), SETTLED);
        folder.write("w.pth", b"one");
        let digest = open().file(&path).unwrap();
        assert!(!cache.exists(), "it changed a moment ago");
        std::thread::sleep(SETTLED + Duration::from_millis(50));
        assert_eq!(open().file(&path).unwrap(), digest);
        let line = std::fs::read_to_string(cache.join("digests")).unwrap();
        assert!(line.starts_with(&format!("{digest} file 3 ")), "{line}");
        // A wrong digest in the cache tells where the answer is from.
        let made_up = line.replace(&digest, &"0".repeat(64));
        let is_taken = |line: &str| {
            std::fs::write(cache.join("digests"), format!("half a line\n{line}")).unwrap();
            open().file(&path).unwrap().starts_with("0000")
        };
        assert!(is_taken(&made_up));
        for part in 2..6 {
            let mut parts: Vec<String> = made_up.split(' ').map(str::to_owned).collect();
            parts[part] += "1";
            assert!(!is_taken(&parts.join(" ")), "part {part} differs");
        }
        assert!(!is_taken(&made_up.replace(" file ", " unpacked ")));
        folder.write("w.pth", b"two");
        assert_ne!(open().file(&path).unwrap(), digest);
    }
}

#[cfg(test)]
mod digest_tests {
    use std::sync::Arc;

    use crate::digests::*;
    use crate::{Samples, Shape};

    #[test]
    fn equal_samples_have_one_digest_and_any_difference_another() {
        let part = |values: &[f32], labels: &[u32]| {
            Samples::new(Shape::new(2, 1, 1), values.to_vec(), labels.to_vec())
        };
        let of = |train: Samples| {
            let none = Samples::new(Shape::new(2, 1, 1), Vec::new(), Vec::new());
            Dataset {
                train,
                validation: none.clone(),
                test: none,
                classes: 2,
                left_out: Vec::new(),
                details: Arc::default(),
            }
            .digest(&Digests::open())
            .unwrap()
        };
        let first = of(part(&[1.0, 2.0, 3.0, 4.0], &[0, 1]));
        assert_eq!(first, of(part(&[1.0, 2.0, 3.0, 4.0], &[0, 1])));
        assert_eq!(first.len(), 64);
        for other in [part(&[1.0, 2.0, 3.0, 4.5], &[0, 1]), part(&[1.0, 2.0, 3.0, 4.0], &[1, 0])] {
            assert_ne!(first, of(other));
        }
    }

    #[test]
    fn the_bytes_are_those_that_are_written_down() {
        let none = Samples::new(Shape::new(1, 1, 1), Vec::new(), Vec::new());
        let train = Samples::new(Shape::new(1, 1, 1), vec![1.0], vec![3]);
        let dataset = Dataset {
            train,
            validation: none.clone(),
            test: none,
            classes: 4,
            left_out: Vec::new(),
            details: Arc::default(),
        };
        let mut bytes = Vec::new();
        for sizes in [[1_u64, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 0]] {
            bytes.extend(sizes.iter().flat_map(|size| size.to_le_bytes()));
            if sizes[3] == 1 {
                bytes.extend([3, 0, 0, 0, 0, 0, 0x80, 0x3f]);
            }
        }
        assert_eq!(dataset.digest(&Digests::open()).unwrap(), hexadecimal(&Sha256::digest(&bytes)));
        assert_eq!(hexadecimal(&[0, 0xf1]), "00f1");
    }
}
