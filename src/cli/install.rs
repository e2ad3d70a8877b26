//! `weightlab install` and `weightlab uninstall`: what a Linux desktop needs to list the program, to show its icon, and to
//! open experiments with it; man pages; and completions for shells.
//!
//! Everything goes below the user's data folder, as freedesktop.org specifies, or below `share` of a prefix, which has the
//! same layout. A list records what was written, and uninstalling removes exactly that. Packages are made from a prefix.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Arguments;
use super::output::{Exit, Failure, print_err, print_out, refuse};
use figure::raster::{ICON, icon_png};

/// Settings of `weightlab install` and `weightlab uninstall`.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct InstallArgs {
    /// For this user alone, in the user's data folder
    #[arg(long)]
    user: bool,
    /// Below FOLDER/share, for a program that is in the PATH: for all users, or for a package
    #[arg(long, value_name = "FOLDER")]
    prefix: Option<PathBuf>,
}

impl InstallArgs {
    /// Returns the folder that everything is in: the user's data folder, or `share` of the prefix.
    fn data_folder(&self) -> Result<PathBuf, Failure> {
        if !cfg!(all(unix, not(target_os = "macos"))) {
            return refuse("install is for Linux only; on this system, run the program from where it is");
        }
        if let Some(prefix) = &self.prefix {
            return Ok(prefix.join("share"));
        }
        // `$XDG_DATA_HOME`, or `~/.local/share`.
        let home = directories::BaseDirs::new().map(|folders| folders.data_dir().to_owned());
        home.map_or_else(|| refuse("no home folder found: set HOME or XDG_DATA_HOME"), Ok)
    }

    /// Returns the path by which the desktop starts the program.
    fn program(&self) -> Result<PathBuf, Failure> {
        if self.prefix.is_some() {
            return Ok(PathBuf::from("weightlab"));
        }
        std::env::current_exe()
            .map_err(|error| Failure::Input(format!("cannot find the path of the program: {error}")))
    }

    /// Lets the desktop of this user read its folders again; without these programs it does so at the next login. For a
    /// prefix, the package does that.
    fn tell_desktop(&self, home: &Path) {
        let programs = [("update-mime-database", "mime"), ("update-desktop-database", "applications")];
        for (program, folder) in programs.map(|(program, folder)| (program, home.join(folder))) {
            if self.user && folder.is_dir() {
                let mut command = Command::new(program);
                let _ = command.arg(folder).stdout(Stdio::null()).stderr(Stdio::null()).status();
            }
        }
    }
}

const LIST: &str = "weightlab/installed.txt";

const DESKTOP: &str = "applications/weightlab.desktop";
const MIME: &str = "mime/packages/weightlab.xml";
const ICONS: &str = "icons/hicolor";

/// The file in which each shell looks for completions of programs; zsh only where its `fpath` names the folder.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/weightlab"),
    (Shell::Zsh, "zsh/site-functions/_weightlab"),
    (Shell::Fish, "fish/vendor_completions.d/weightlab.fish"),
];

const SIDES: [u32; 8] = [16, 22, 32, 48, 64, 128, 256, 512];

/// Many programs use RON, so the desktop recognises an experiment by its first word, which comments may precede, and not
/// by its name.
const MIME_TYPE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
  <mime-type type="application/x-weightlab+ron">
    <comment>Weightlab experiment</comment>
    <sub-class-of type="text/plain"/>
    <icon name="weightlab"/>
    <magic priority="60">
      <match type="string" offset="0" value="Experiment("/>
      <match type="string" offset="0" value="//">
        <match type="string" offset="2:4096" value="\nExperiment("/>
      </match>
    </magic>
  </mime-type>
</mime-info>
"#;

/// Adds the program to the desktop, to `man` and to shells.
///
/// # Errors
/// On another system than Linux, or what could not be written.
pub fn install(arguments: &InstallArgs) -> Result<Exit, Failure> {
    let folder = arguments.data_folder()?;
    let mut said = lines("wrote", &install_into(&folder, &arguments.program()?)?);
    arguments.tell_desktop(&folder);
    if arguments.user {
        said.push_str(
            "Weightlab is now in the desktop's menu and opens experiments. To remove it: weightlab uninstall --user",
        );
    }
    print_out(&said)?;
    Ok(Exit::Done)
}

/// Removes what `install` made, and nothing else.
///
/// # Errors
/// On another system than Linux, or what could not be removed.
pub fn uninstall(arguments: &InstallArgs) -> Result<Exit, Failure> {
    let folder = arguments.data_folder()?;
    let removed = uninstall_from(&folder, |folder| arguments.tell_desktop(folder))?;
    if removed.is_empty() {
        print_err(&format!("nothing is installed in {}", folder.display()));
        return Ok(Exit::Done);
    }
    print_out(&lines("removed", &removed))?;
    Ok(Exit::Done)
}

fn lines(what: &str, paths: &[PathBuf]) -> String {
    let lines: Vec<String> = paths.iter().map(|path| format!("{what} {}\n", path.display())).collect();
    lines.concat()
}

/// Lists what is installed: paths below the folder, and contents.
fn files(program: &Path) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let mut files = vec![
        (DESKTOP.to_owned(), desktop_entry(program).into_bytes()),
        (MIME.to_owned(), MIME_TYPE.as_bytes().to_vec()),
        (format!("{ICONS}/scalable/apps/weightlab.svg"), ICON.as_bytes().to_vec()),
    ];
    for side in SIDES {
        let png = icon_png(side).map_err(|error| Failure::Input(format!("the icon: {error}")))?;
        files.push((format!("{ICONS}/{side}x{side}/apps/weightlab.png"), png));
    }
    files.extend(pages()?.into_iter().map(|(name, page)| (format!("man/man1/{name}"), page)));
    files.extend(COMPLETIONS.map(|(shell, path)| (path.to_owned(), completions_for(shell).into_bytes())));
    Ok(files)
}

fn desktop_entry(program: &Path) -> String {
    let (program, argument) = (program.display(), quoted(&program.to_string_lossy()));
    let description = env!("CARGO_PKG_DESCRIPTION");
    format!(
        "[Desktop Entry]\nType=Application\nVersion=1.0\nName=Weightlab\nGenericName=Neural network experiments\n\
         Comment={description}\nExec={argument} %F\nTryExec={program}\nIcon=weightlab\nTerminal=false\n\
         Categories=Science;ArtificialIntelligence;\nKeywords=pruning;lottery ticket;fault injection;\n\
         MimeType=application/x-weightlab+ron;\nStartupWMClass=weightlab\nStartupNotify=true\n"
    )
}

/// Quotes a path as one argument of `Exec` (Desktop Entry Specification 1.5, "The Exec key"): quoted, with the escapes of the
/// file itself escaped once more.
fn quoted(path: &str) -> String {
    let mut argument = String::from("\"");
    for character in path.chars() {
        match character {
            '"' | '`' | '$' => argument.extend(["\\\\", character.to_string().as_str()]),
            '\\' => argument.push_str(r"\\\\"),
            '%' => argument.push_str("%%"),
            _ => argument.push(character),
        }
    }
    argument + "\""
}

/// Writes all files, replacing existing ones; returns their paths.
fn install_into(home: &Path, program: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut made = read_list(home);
    let written = write_files(home, program, &mut made);
    // The list is written after a failure too: what was made until then can be removed.
    let list = write_list(home, &mut made);
    Ok([written?, vec![list?]].concat())
}

/// Writes all files but the list, and notes them.
fn write_files(home: &Path, program: &Path, made: &mut Vec<String>) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for (name, content) in files(program)? {
        make_folders(home, &name, made)?;
        let path = home.join(&name);
        std::fs::write(&path, content).map_err(Failure::write(&path))?;
        note(made, name);
        written.push(path);
    }
    Ok(written)
}

/// Writes the list of what was made; returns its path.
fn write_list(home: &Path, made: &mut Vec<String>) -> Result<PathBuf, Failure> {
    make_folders(home, LIST, made)?;
    let path = home.join(LIST);
    std::fs::write(&path, made.join("\n") + "\n").map_err(Failure::write(&path))?;
    Ok(path)
}

/// Makes the missing folders above a file, and notes them.
fn make_folders(home: &Path, file: &str, made: &mut Vec<String>) -> Result<(), Failure> {
    for folder in file.match_indices('/').map(|(end, _)| &file[..end]) {
        let path = home.join(folder);
        if !path.is_dir() {
            std::fs::create_dir_all(&path).map_err(Failure::write(&path))?;
            note(made, format!("{folder}/"));
        }
    }
    Ok(())
}

fn note(made: &mut Vec<String>, name: String) {
    if !made.contains(&name) {
        made.push(name);
    }
}

/// Reads what previous installations wrote. Lines that lead out of the folder are not from this program.
fn read_list(home: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(home.join(LIST)).unwrap_or_default();
    let is_below = |line: &str| Path::new(line).components().all(|part| matches!(part, Component::Normal(_)));
    text.lines().filter(|line| !line.is_empty() && is_below(line)).map(str::to_owned).collect()
}

/// Removes what is on the list, folders only when they are empty; returns the removed paths. In between, `tell` makes the
/// desktop forget the files.
fn uninstall_from(home: &Path, tell: impl Fn(&Path)) -> Result<Vec<PathBuf>, Failure> {
    let made = read_list(home);
    if made.is_empty() {
        return Ok(Vec::new());
    }
    let (folders, mut files): (Vec<String>, Vec<String>) =
        made.into_iter().partition(|name| name.ends_with('/'));
    files.push(LIST.to_owned());
    let mut removed = Vec::new();
    for name in files {
        let path = home.join(name);
        match std::fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::write(&path)(error)),
        }
    }
    tell(home);
    remove_generated(home, &folders);
    for name in folders.iter().rev() {
        let path = home.join(name);
        // A folder with files of others stays.
        if std::fs::remove_dir(&path).is_ok() {
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Removes what the desktop's programs generated from the files, from folders that the installation made and that hold
/// nothing else.
fn remove_generated(home: &Path, made: &[String]) {
    let is_made = |name: &str| made.iter().any(|folder| folder == name);
    let is_empty =
        |name: &str| std::fs::read_dir(home.join(name)).is_ok_and(|mut folder| folder.next().is_none());
    // What cannot be removed stays.
    if is_made("mime/") && is_empty("mime/packages") {
        let _ = std::fs::remove_dir_all(home.join("mime"));
    }
    if is_made("applications/") {
        let _ = std::fs::remove_file(home.join("applications/mimeinfo.cache"));
    }
}

/// Settings of `weightlab completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Settings of `weightlab man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

/// Prints what completes commands and options in a shell.
///
/// # Errors
/// When it cannot be printed.
pub fn completions(arguments: &CompletionsArgs) -> Result<Exit, Failure> {
    print_out(completions_for(arguments.shell).trim_end())?;
    Ok(Exit::Done)
}

pub fn completions_for(shell: Shell) -> String {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "weightlab", &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Prints the page of the program, or writes the pages of all commands.
///
/// # Errors
/// What cannot be written.
pub fn man(arguments: &ManArgs) -> Result<Exit, Failure> {
    let pages = pages()?;
    let Some(folder) = &arguments.to else {
        let page = pages.first().map(|(_, page)| String::from_utf8_lossy(page)).unwrap_or_default();
        print_out(page.trim_end())?;
        return Ok(Exit::Done);
    };
    let fail =
        |error: io::Error| Failure::Input(format!("{}: {error}; choose another folder", folder.display()));
    std::fs::create_dir_all(folder).map_err(fail)?;
    for (name, page) in pages {
        std::fs::write(folder.join(name), page).map_err(fail)?;
    }
    Ok(Exit::Done)
}

/// Writes the page of the program, then those of its commands: names of files, and contents.
pub fn pages() -> Result<Vec<(String, Vec<u8>)>, Failure> {
    // The page is the same on every machine; what `--version` prints is not.
    let mut program = Arguments::command().disable_help_subcommand(true).long_version(None);
    program.build();
    let mut commands = vec![program];
    let mut pages = Vec::new();
    while let Some(command) = commands.pop() {
        commands.extend(command.get_subcommands().cloned());
        let page = clap_mangen::Man::new(command);
        let mut text = Vec::new();
        let rendered = page.render(&mut text);
        rendered.map_err(|error| Failure::Input(format!("the man page cannot be written: {error}")))?;
        pages.push((page.get_filename(), text));
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::ValueEnum;

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

    #[test]
    fn all_shells_complete_all_commands() {
        for &shell in Shell::value_variants() {
            let text = completions_for(shell);
            for command in Arguments::command().get_subcommands() {
                assert!(text.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("man1");
        man(&ManArgs { to: Some(to.clone()) }).unwrap();
        for command in Arguments::command().get_subcommands() {
            let page =
                std::fs::read_to_string(to.join(format!("weightlab-{}.1", command.get_name()))).unwrap();
            assert!(page.contains(".SH DESCRIPTION"), "{}", command.get_name());
        }
        let page = std::fs::read_to_string(to.join("weightlab.1")).unwrap();
        assert!(page.contains("Exit status") && !page.contains("processor"), "{page}");
    }
}
