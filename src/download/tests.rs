//! Downloads from a server on this machine that breaks, lies and refuses.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::server::{Manner, Server};
use super::*;
use data::testing::{Folder, gzip};
use data::{CIFAR10, FASHION_MNIST, MNIST};
use form::number::hexadecimal;

const QUICK: Patience =
    Patience { tries: 3, pause: Duration::from_millis(1), silence: Duration::from_secs(5) };

fn content() -> Vec<u8> {
    (0..1_000_000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// Downloads the file of a server; `right` is what it should be.
fn get(server: &Server, right: &[u8], folder: &Path) -> Result<(), DownloadError> {
    get_members(server, right, &[], folder)
}

fn get_members(
    server: &Server,
    right: &[u8],
    members: &[(&str, u64)],
    folder: &Path,
) -> Result<(), DownloadError> {
    let (url, sum) = (server.url("set.bin"), sha256(right));
    let remote = Remote { url: &url, bytes: right.len() as u64, sha256: &sum, members };
    download(&[remote], folder, QUICK, &mut |_| ControlFlow::Continue(()))
}

#[test]
fn a_file_arrives_whole_and_is_not_fetched_twice() {
    let (folder, content) = (Folder::new("download-right"), content());
    let server = Server::start(&content, &[Manner::Right]);
    let new = folder.join("new/folder");
    get(&server, &content, &new).unwrap();
    assert_eq!(fs::read(new.join("set.bin")).unwrap(), content);
    get(&server, &content, &new).unwrap();
    assert_eq!(server.requests(), 1);
    assert_eq!(fs::read_dir(&new).unwrap().count(), 1, "nothing else is left");
}

#[test]
fn a_broken_connection_is_continued_where_it_broke() {
    let (folder, content) = (Folder::new("download-broken"), content());
    let server = Server::start(
        &content,
        &[Manner::Breaks(300_000), Manner::Breaks(0), Manner::Breaks(1), Manner::Right],
    );
    get(&server, &content, folder.path()).unwrap();
    assert_eq!(fs::read(folder.join("set.bin")).unwrap(), content);
    assert_eq!(server.ranges(), [None, Some(300_000), Some(300_000), Some(300_001)]);
}

#[test]
fn a_server_without_parts_starts_again() {
    let (folder, content) = (Folder::new("download-no-ranges"), content());
    for second in [Manner::IgnoresRanges, Manner::WrongRange, Manner::Status(416)] {
        let server = Server::start(&content, &[Manner::Breaks(1000), second, Manner::Right]);
        get(&server, &content, folder.path()).unwrap();
        assert_eq!(fs::read(folder.join("set.bin")).unwrap(), content, "{second:?}");
        fs::remove_file(folder.join("set.bin")).unwrap();
    }
}

#[test]
fn a_server_that_never_answers_well_is_given_up_and_what_arrived_is_kept() {
    let (folder, content) = (Folder::new("download-gone"), content());
    let server = Server::start(&content, &[Manner::Breaks(5000), Manner::Breaks(0)]);
    let message = get(&server, &content, folder.path()).unwrap_err().to_string();
    assert!(message.contains(&server.url("set.bin")) && message.contains("is kept"), "{message}");
    assert_eq!(server.requests(), 4);
    assert_eq!(fs::metadata(folder.join("set.bin.part")).unwrap().len(), 5000);
    let again = Server::start(&content, &[Manner::Right]);
    get(&again, &content, folder.path()).unwrap();
    assert_eq!(again.ranges(), [Some(5000)]);
}

#[test]
fn a_busy_server_is_asked_again_and_a_refusal_is_final() {
    let (folder, content) = (Folder::new("download-status"), content());
    let busy = Server::start(&content, &[Manner::Status(503), Manner::Status(429), Manner::Right]);
    get(&busy, &content, folder.path()).unwrap();
    fs::remove_file(folder.join("set.bin")).unwrap();
    let gone = Server::start(&content, &[Manner::Status(404)]);
    let message = get(&gone, &content, folder.path()).unwrap_err().to_string();
    assert!(message.contains("status 404") && gone.requests() == 1, "{message}");
}

#[test]
fn other_sizes_are_refused_before_they_fill_the_disk() {
    let (folder, content) = (Folder::new("download-size"), content());
    for manner in [Manner::Promises(u64::MAX / 2), Manner::Promises(10), Manner::Endless] {
        let server = Server::start(&content, &[manner]);
        let error = get(&server, &content, folder.path()).unwrap_err();
        assert!(matches!(error, DownloadError::Size { expected: 1_000_000, .. }), "{manner:?}: {error}");
        if manner == Manner::Endless {
            assert!(error.to_string().contains("set.bin has more than 1000000 bytes"), "{error}");
        }
        assert!(!folder.join("set.bin").exists());
        assert_eq!(fs::metadata(folder.join("set.bin.part")).unwrap().len(), 0);
    }
}

#[test]
fn another_checksum_is_refused_and_the_next_try_starts_again() {
    let (folder, content) = (Folder::new("download-checksum"), content());
    let mut other = content.clone();
    other[500_000] ^= 1;
    let server = Server::start(&other, &[Manner::Right]);
    let error = get(&server, &content, folder.path()).unwrap_err();
    assert!(matches!(&error, DownloadError::Checksum { found, .. } if *found == sha256(&other)), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    get(&Server::start(&content, &[Manner::Right]), &content, folder.path()).unwrap();
}

#[test]
fn another_file_of_the_name_is_never_written_over() {
    let (folder, content) = (Folder::new("download-in-the-way"), content());
    folder.write("set.bin", b"mine");
    let server = Server::start(&content, &[Manner::Right]);
    let error = get(&server, &content, folder.path()).unwrap_err();
    assert!(matches!(error, DownloadError::InTheWay { .. }), "{error}");
    assert_eq!(fs::read(folder.join("set.bin")).unwrap(), b"mine");
}

#[test]
fn a_cancelled_download_keeps_its_part_and_reports_never_go_back() {
    let (folder, content) = (Folder::new("download-cancel"), content());
    let server = Server::start(&content, &[Manner::Right]);
    let (url, sum) = (server.url("set.bin"), sha256(&content));
    let remote = Remote { url: &url, bytes: content.len() as u64, sha256: &sum, members: &[] };
    let mut seen = Vec::new();
    let mut cancel = |progress: Progress| {
        seen.push(progress.done);
        if progress.done > 100_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = download(&[remote], folder.path(), QUICK, &mut cancel).unwrap_err();
    assert!(matches!(error, DownloadError::Cancelled));
    assert_eq!(fs::metadata(folder.join("set.bin.part")).unwrap().len(), *seen.last().unwrap());
    let mut total = Vec::new();
    let mut watch = |progress: Progress| {
        total.push((progress.done, progress.total));
        ControlFlow::Continue(())
    };
    download(&[remote, remote], folder.path(), QUICK, &mut watch).unwrap();
    assert!(total.is_sorted(), "{total:?}");
    assert_eq!(total.last(), Some(&(2_000_000, 2_000_000)));
}

#[test]
fn two_downloads_of_a_file_do_not_meet() {
    let (folder, content) = (Folder::new("download-busy"), content());
    let part = fs::File::create(folder.join("set.bin.part")).unwrap();
    part.lock().unwrap();
    let server = Server::start(&content, &[Manner::Right]);
    let error = get(&server, &content, folder.path()).unwrap_err();
    assert!(matches!(error, DownloadError::Busy { .. }), "{error}");
}

fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut head = tar::Header::new_gnu();
        head.set_size(content.len() as u64);
        head.as_gnu_mut().unwrap().name[..path.len()].copy_from_slice(path.as_bytes());
        head.set_cksum();
        archive.append(&head, *content).unwrap();
    }
    gzip(&archive.into_inner().unwrap())
}

#[test]
fn only_the_named_files_of_an_archive_are_written_and_its_paths_are_not_followed() {
    let folder = Folder::new("download-archive");
    let packed = archive(&[
        ("../../escape.txt", b"no"),
        ("../up/a.bin", b"first"),
        ("set/b.bin", b"second"),
        ("x", b"no"),
    ]);
    let server = Server::start(&packed, &[Manner::Right]);
    let inside = folder.join("inside");
    get_members(&server, &packed, &AB, &inside).unwrap();
    assert_eq!(fs::read(inside.join("a.bin")).unwrap(), b"first");
    assert_eq!(fs::read(inside.join("b.bin")).unwrap(), b"second");
    assert_eq!(fs::read_dir(&inside).unwrap().count(), 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    get_members(&server, &packed, &AB, &inside).unwrap();
    assert_eq!(server.requests(), 1);
}

/// Members of archives, with their lengths.
const AB: [(&str, u64); 2] = [("a.bin", 5), ("b.bin", 6)];

#[test]
fn an_archive_that_is_there_is_used_and_stays() {
    let folder = Folder::new("download-own-archive");
    let packed = archive(&[("set/a.bin", b"first"), ("set/b.bin", b"second")]);
    let server = Server::start(&packed, &[Manner::Right]);
    folder.write("set.bin", &packed);
    get_members(&server, &packed, &AB, folder.path()).unwrap();
    assert_eq!(fs::read(folder.join("b.bin")).unwrap(), b"second");
    assert_eq!((server.requests(), fs::read(folder.join("set.bin")).unwrap()), (0, packed.clone()));
    // Another file of its name is neither used nor written over.
    let other = folder.join("other");
    folder.write("other/set.bin", b"mine");
    let error = get_members(&server, &packed, &AB, &other).unwrap_err();
    assert!(matches!(&error, DownloadError::InTheWay { path } if path.ends_with("set.bin")), "{error}");
    assert_eq!((server.requests(), fs::read(other.join("set.bin")).unwrap()), (0, b"mine".to_vec()));
}

#[test]
fn members_of_other_lengths_are_in_the_way_and_are_not_unpacked() {
    let folder = Folder::new("download-members");
    let packed = archive(&[("set/a.bin", b"first"), ("set/b.bin", b"second")]);
    let server = Server::start(&packed, &[Manner::Right]);
    folder.write("b.bin", b"sec");
    let error = get_members(&server, &packed, &AB, folder.path()).unwrap_err();
    assert!(matches!(&error, DownloadError::InTheWay { path } if path.ends_with("b.bin")), "{error}");
    assert_eq!(server.requests(), 0);
    let other = folder.join("other");
    let error = get_members(&server, &packed, &[("a.bin", 5), ("b.bin", 7)], &other).unwrap_err().to_string();
    assert!(error.contains("b.bin has 6 bytes in it, and should have 7"), "{error}");
    // What was downloaded is kept, continued from without a request, and removed in the end.
    get_members(&server, &packed, &AB, &other).unwrap();
    assert_eq!(server.requests(), 1);
    assert_eq!(fs::read_dir(&other).unwrap().count(), 2);
}

#[test]
fn an_archive_that_lacks_a_file_or_is_damaged_says_so() {
    let folder = Folder::new("download-lacking");
    let packed = archive(&[("set/a.bin", b"first")]);
    let server = Server::start(&packed, &[Manner::Right]);
    let message = get_members(&server, &packed, &AB, folder.path()).unwrap_err().to_string();
    assert!(message.contains("set.bin.part: the archive has no b.bin"), "{message}");
    let cut = &packed[..packed.len() / 2];
    let server = Server::start(cut, &[Manner::Right]);
    let other = folder.join("other");
    let message = get_members(&server, cut, &AB[..1], &other).unwrap_err().to_string();
    assert!(message.contains("damaged"), "{message}");
    assert!(!other.join("a.bin").exists());
}

#[test]
fn what_is_downloaded_is_what_the_readers_need() {
    for set in [&MNIST, &FASHION_MNIST, &CIFAR10] {
        let origin = set.origin.unwrap();
        let folder = Folder::new("download-known");
        for file in origin.files {
            assert!(file.url.starts_with("https://"), "{}", file.url);
            assert!(file.sha256.len() == 64 && file.bytes > 1000, "{}", file.url);
            for name in file.results() {
                folder.write(name, b"");
            }
        }
        set.check(folder.path()).unwrap();
    }
}
