//! What is written is removed again, and nothing else.

use std::collections::BTreeMap;

use super::*;

fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
                found.insert(path, Vec::new());
            } else {
                found.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    found
}

#[test]
fn installing_twice_is_installing_once_and_uninstalling_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    std::fs::create_dir_all(home.join("applications")).unwrap();
    std::fs::write(home.join("applications/other.desktop"), "other").unwrap();
    let before = tree(home);
    let written = install_into(home, Path::new("/opt/weightlab")).unwrap();
    assert!(written.iter().all(|path| path.is_file()) && written.len() > SIDES.len() + 4);
    let once = tree(home);
    install_into(home, Path::new("/opt/weightlab")).unwrap();
    assert_eq!(tree(home), once);
    assert!(uninstall_from(home, |_| {}).unwrap().len() > written.len());
    assert_eq!(tree(home), before);
    assert!(uninstall_from(home, |_| {}).unwrap().is_empty());
}

#[test]
fn what_the_desktop_made_of_the_files_goes_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    install_into(home, Path::new("/opt/weightlab")).unwrap();
    std::fs::write(home.join("mime/globs2"), "").unwrap();
    std::fs::write(home.join("applications/mimeinfo.cache"), "").unwrap();
    uninstall_from(home, |_| {}).unwrap();
    assert_eq!(tree(home), BTreeMap::new());
}

#[test]
fn files_of_others_keep_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    install_into(home, Path::new("/opt/weightlab")).unwrap();
    let other = home.join("icons/hicolor/16x16/apps/other.png");
    std::fs::write(&other, "other").unwrap();
    uninstall_from(home, |_| {}).unwrap();
    assert!(other.is_file() && !home.join("icons/hicolor/22x22").exists());
}

#[test]
fn what_was_written_before_a_failure_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    std::fs::write(home.join("mime"), "a file in the place of a folder").unwrap();
    let before = tree(home);
    assert!(install_into(home, Path::new("/opt/weightlab")).is_err());
    assert!(home.join(DESKTOP).is_file());
    uninstall_from(home, |_| {}).unwrap();
    assert_eq!(tree(home), before);
}

#[test]
fn a_list_that_leads_elsewhere_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir_all(home.join("weightlab")).unwrap();
    std::fs::write(folder.path().join("precious"), "x").unwrap();
    std::fs::write(home.join(LIST), "../precious\n/etc/passwd\n").unwrap();
    assert!(uninstall_from(&home, |_| {}).unwrap().is_empty());
    assert!(folder.path().join("precious").is_file());
}

#[test]
fn a_path_is_one_argument_whatever_it_holds() {
    assert_eq!(quoted("/a b/weightlab"), "\"/a b/weightlab\"");
    assert_eq!(quoted("/a$b%c"), "\"/a\\\\$b%%c\"");
    assert!(desktop_entry(Path::new("/x/weightlab")).contains("\nExec=\"/x/weightlab\" %F\n"));
}

#[test]
fn a_prefix_has_what_packages_need_and_names_the_program_in_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = InstallArgs { user: false, prefix: Some(folder.path().to_owned()) };
    install(&arguments).unwrap();
    let share = folder.path().join("share");
    for (_, path) in COMPLETIONS {
        assert!(std::fs::read_to_string(share.join(path)).unwrap().contains("weightlab"), "{path}");
    }
    for name in ["man/man1/weightlab.1", "man/man1/weightlab-run.1", MIME] {
        assert!(share.join(name).is_file(), "{name}");
    }
    let entry = std::fs::read_to_string(share.join(DESKTOP)).unwrap();
    assert!(entry.contains("\nExec=\"weightlab\" %F\nTryExec=weightlab\n"), "{entry}");
    uninstall(&arguments).unwrap();
    assert_eq!(tree(folder.path()).into_keys().collect::<Vec<_>>(), [share]);
}
