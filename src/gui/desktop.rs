//! What the app asks of the desktop around it: a notification, and to stay awake. Done with the programs that desktops
//! bring along, so that nothing else depends on them; what is missing is told, and never in the way.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The desktop, or a script in tests.
pub trait Desktop {
    /// Shows a notification.
    ///
    /// # Errors
    /// Why it cannot be shown.
    fn notify(&mut self, title: &str, text: &str) -> Result<(), String>;

    /// Keeps the computer from going to sleep by itself, or does so no longer.
    ///
    /// # Errors
    /// Why it cannot be kept awake.
    fn keep_awake(&mut self, on: bool) -> Result<(), String>;

    /// What did not work although it could be started, once for each; to be asked now and then.
    fn trouble(&mut self) -> Option<String>;
}

/// The desktop that the app runs on.
pub struct System {
    awake: Option<Awake>,
    tell: SyncSender<String>,
    told: Receiver<String>,
}

/// The program that keeps the computer awake, and what it complains about before it ends.
struct Awake {
    child: Child,
    complaint: Receiver<String>,
}

/// More complaints than this are not kept until somebody asks.
const KEPT: usize = 8;

impl Default for System {
    fn default() -> Self {
        let (tell, told) = sync_channel(KEPT);
        Self { awake: None, tell, told }
    }
}

impl Desktop for System {
    fn notify(&mut self, title: &str, text: &str) -> Result<(), String> {
        let mut command = notification(title, text);
        let child = start(&mut command).map_err(|error| told(&command, &error))?;
        let (tell, program) = (self.tell.clone(), name_of(&command));
        let wait = move || {
            if let Ok(output) = child.wait_with_output()
                && !output.status.success()
            {
                let said = String::from_utf8_lossy(&output.stderr);
                // Where nobody asks, nobody is told.
                let _ = tell.try_send(format!("No notification was shown: {}", refused(&program, &said)));
            }
        };
        // A process that nobody waits for stays a zombie. If no thread can be started it does, until the app ends.
        let _ = std::thread::Builder::new().name("notification".to_owned()).spawn(wait);
        Ok(())
    }

    fn keep_awake(&mut self, on: bool) -> Result<(), String> {
        if !on {
            self.let_sleep();
        } else if self.awake.is_none() {
            self.awake = Some(Awake::start(&mut inhibitor())?);
        }
        Ok(())
    }

    fn trouble(&mut self) -> Option<String> {
        let complaint = self.awake.as_ref().and_then(|awake| awake.complaint.try_recv().ok());
        if let Some(complaint) = complaint {
            self.let_sleep();
            return Some(format!("The computer may go to sleep: {complaint}"));
        }
        self.told.try_recv().ok()
    }
}

impl Awake {
    /// Starts a program that keeps the computer awake until its input ends.
    fn start(command: &mut Command) -> Result<Self, String> {
        command.stdin(Stdio::piped());
        let mut child = start(command).map_err(|error| told(command, &error))?;
        let (program, errors) = (name_of(command), child.stderr.take());
        let (tell, complaint) = sync_channel(1);
        let listen = move || {
            let mut said = String::new();
            if let Some(mut errors) = errors {
                let _ = errors.read_to_string(&mut said); // what could be read is told
            }
            // Nobody listens any more where the program was told to end.
            let _ = tell.try_send(refused(&program, &said));
        };
        // Without a thread it works, and complaints are not heard.
        let _ = std::thread::Builder::new().name("keep awake".to_owned()).spawn(listen);
        Ok(Self { child, complaint })
    }
}

impl System {
    /// The inhibitor lasts as long as its input: it also ends when the app does so without a word.
    fn let_sleep(&mut self) {
        let Some(Awake { mut child, .. }) = self.awake.take() else { return };
        drop(child.stdin.take());
        let _ = child.kill(); // it may have ended by itself
        let _ = child.wait();
    }
}

impl Drop for System {
    fn drop(&mut self) {
        self.let_sleep();
    }
}

fn start(command: &mut Command) -> io::Result<Child> {
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
}

fn name_of(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn told(command: &Command, error: &io::Error) -> String {
    format!("{} could not be started: {error}", name_of(command))
}

/// That a program ended, and the first thing it said.
fn refused(program: &str, said: &str) -> String {
    match said.lines().map(str::trim).find(|line| !line.is_empty()) {
        Some(line) => format!("{program} refused ({line})"),
        None => format!("{program} ended"),
    }
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn notification(title: &str, text: &str) -> Command {
    let mut command = Command::new("notify-send");
    command.args(["--app-name=Weightlab", "--icon=weightlab", "--", title, text]);
    command
}

#[cfg(target_os = "macos")]
fn notification(title: &str, text: &str) -> Command {
    let mut command = Command::new("osascript");
    command.args([
        "-e",
        "on run argv",
        "-e",
        "display notification (item 2 of argv) with title (item 1 of argv)",
    ]);
    command.args(["-e", "end run", title, text]);
    command
}

#[cfg(target_os = "windows")]
fn notification(title: &str, text: &str) -> Command {
    let mut command = Command::new("powershell");
    let script = "Add-Type -AssemblyName System.Windows.Forms, System.Drawing; \
        $n = New-Object System.Windows.Forms.NotifyIcon; $n.Icon = [System.Drawing.SystemIcons]::Information; \
        $n.Visible = $true; $n.ShowBalloonTip(10000, $env:WEIGHTLAB_TITLE, $env:WEIGHTLAB_TEXT, 'Info'); \
        Start-Sleep 10; $n.Dispose()";
    command
        .args(["-NoProfile", "-Command", script])
        .env("WEIGHTLAB_TITLE", title)
        .env("WEIGHTLAB_TEXT", text);
    command
}

#[cfg(not(any(target_os = "macos", target_os = "windows")))]
fn inhibitor() -> Command {
    let mut command = Command::new("systemd-inhibit");
    command.args(["--what=idle:sleep", "--who=Weightlab", "--why=Runs go on", "--mode=block", "cat"]);
    command
}

#[cfg(target_os = "macos")]
fn inhibitor() -> Command {
    let mut command = Command::new("caffeinate");
    command.args(["-i", "cat"]);
    command
}

#[cfg(target_os = "windows")]
fn inhibitor() -> Command {
    let mut command = Command::new("powershell");
    // ES_CONTINUOUS | ES_SYSTEM_REQUIRED, until the input ends.
    let script = "$k = Add-Type -PassThru -Name Kernel -Namespace Weightlab -MemberDefinition \
        '[DllImport(\"kernel32.dll\")] public static extern uint SetThreadExecutionState(uint state);'; \
        [void]$k::SetThreadExecutionState([uint32]'0x80000001'); [void][Console]::In.ReadToEnd()";
    command.args(["-NoProfile", "-Command", script]);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_missing_is_named() {
        let mut command = Command::new("weightlab-no-such-program");
        let error = start(&mut command).unwrap_err();
        assert!(told(&command, &error).starts_with("weightlab-no-such-program could not be started: "));
    }

    #[cfg(unix)]
    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[cfg(unix)]
    #[test]
    fn what_keeps_awake_ends_with_the_app() {
        let mut awake = Awake::start(&mut Command::new("cat")).unwrap();
        assert!(awake.child.try_wait().unwrap().is_none());
        // The app is gone: its end of the pipe is closed by the system.
        drop(awake.child.stdin.take());
        assert!(awake.child.wait().unwrap().success());
        let awake = Awake::start(&mut Command::new("cat")).unwrap();
        let mut system = System::default();
        system.awake = Some(awake);
        assert_eq!(system.trouble(), None);
        system.keep_awake(false).unwrap();
        assert!(system.awake.is_none() && system.trouble().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_gives_up_is_told_once() {
        let awake = Awake::start(&mut shell("echo no login manager >&2; exit 1")).unwrap();
        let mut system = System::default();
        system.awake = Some(awake);
        let told = loop {
            match system.trouble() {
                Some(told) => break told,
                None => std::thread::yield_now(),
            }
        };
        assert_eq!(told, "The computer may go to sleep: sh refused (no login manager)");
        assert!(system.awake.is_none() && system.trouble().is_none(), "and nothing is left of it");
    }
}
