//! The list of licences names every crate of the program; `WEIGHTLAB_BLESS=1 cargo test --test it licences` writes it again,
//! which needs the sources of all crates and so, after a change of `Cargo.lock`, the network.

mod gather;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use gather::{Crate, TARGETS};

const REMEDY: &str = "WEIGHTLAB_BLESS=1 cargo test --test it licences writes assets/licences/";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn written(name: &str) -> PathBuf {
    root().join("assets/licences").join(name)
}

fn lines(name: &str) -> Vec<String> {
    std::fs::read_to_string(written(name)).unwrap().lines().map(str::to_owned).collect()
}

/// The crates of the list.
fn listed() -> BTreeSet<Crate> {
    let fields = |line: &String| {
        let mut fields = line.split('\t').map(str::to_owned);
        Crate { name: fields.next().unwrap(), version: fields.next().unwrap() }
    };
    lines("crates.tsv").iter().map(fields).collect()
}

/// Those of `Cargo.lock` that are in no program: needed for tests, for building, or on other systems.
fn others() -> BTreeSet<Crate> {
    lines("others.txt").iter().filter_map(|line| Crate::parse(line)).collect()
}

/// Everything in `Cargo.lock` but the program itself.
fn locked() -> BTreeSet<Crate> {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let value = |line: Option<&str>, key: &str| {
        let rest = line?.strip_prefix(key)?.strip_prefix(" = \"")?;
        Some(rest.trim_end_matches('"').to_owned())
    };
    let package = |text: &str| {
        let mut lines = text.lines();
        let (name, version) = (value(lines.next(), "name")?, value(lines.next(), "version")?);
        Some(Crate { name, version })
    };
    let packages = lock.split("[[package]]\n").skip(1).map(|text| package(text).expect("name, then version"));
    packages.filter(|one| !one.name.starts_with(env!("CARGO_PKG_NAME"))).collect()
}

fn bless() {
    let gathered = gather::gather(&locked());
    std::fs::create_dir_all(written("")).unwrap();
    std::fs::write(written("crates.tsv"), gathered.table).unwrap();
    std::fs::write(written("others.txt"), gathered.others).unwrap();
    // The same texts can be packed to other bytes by another version of the library.
    if gather::unpacked(&written("texts.gz")).as_deref() != Some(gathered.texts.as_str()) {
        std::fs::write(written("texts.gz"), gather::packed(&gathered.texts)).unwrap();
    }
}

#[test]
fn the_list_of_licences_knows_every_crate_of_the_lock_file() {
    if std::env::var_os("WEIGHTLAB_BLESS").is_some() {
        bless();
    }
    let known: BTreeSet<Crate> = listed().into_iter().chain(others()).collect();
    let locked = locked();
    let missing: Vec<&Crate> = locked.difference(&known).collect();
    let gone: Vec<&Crate> = known.difference(&locked).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "not listed: {missing:?}; no longer there: {gone:?}; {REMEDY}"
    );
}

/// Features can bring a crate into the program that the lock file had already.
#[test]
fn every_crate_that_is_linked_is_on_the_list() {
    let listed = listed();
    let mut seen = 0;
    for target in TARGETS {
        match gather::linked(target, true) {
            Ok(linked) => {
                let missing: Vec<&Crate> = linked.difference(&listed).collect();
                assert!(missing.is_empty(), "{target}: {missing:?} are not listed; {REMEDY}");
                seen += 1;
            }
            // Only the crates for this system are sure to be downloaded.
            Err(error) => eprintln!("skipped: the crates for {target}: {error}"),
        }
    }
    assert!(seen > 0, "not even the crates for this system could be listed");
}

#[test]
fn the_program_lists_them_without_a_display() {
    let output = Command::new(env!("CARGO_BIN_EXE_weightlab"))
        .arg("licences")
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for Crate { name, version } in listed() {
        assert!(text.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next() == Some(&name) && words.next() == Some(&version)
        }));
    }
}
