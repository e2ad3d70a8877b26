//! What the app asks of the desktop around it: a notification, and to stay awake. Done with the programs that desktops
//! bring along, so that nothing else depends on them; what is missing is told, and never in the way.

use std::io;
use std::process::{Child, Command, Stdio};

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
}

/// The desktop that the app runs on.
#[derive(Default)]
pub struct System {
    awake: Option<Child>,
}

impl Desktop for System {
    fn notify(&mut self, title: &str, text: &str) -> Result<(), String> {
        let mut command = notification(title, text);
        let mut child = start(&mut command).map_err(|error| told(&command, &error))?;
        // A process that nobody waits for stays a zombie. If no thread can be started it does, until the app ends.
        let wait = move || drop(child.wait());
        let _ = std::thread::Builder::new().name("notification".to_owned()).spawn(wait);
        Ok(())
    }

    fn keep_awake(&mut self, on: bool) -> Result<(), String> {
        if !on {
            self.let_sleep();
        } else if self.awake.is_none() {
            let mut command = inhibitor();
            command.stdin(Stdio::piped());
            self.awake = Some(start(&mut command).map_err(|error| told(&command, &error))?);
        }
        Ok(())
    }
}

impl System {
    /// The inhibitor lasts as long as its input: it also ends when the app does so without a word.
    fn let_sleep(&mut self) {
        let Some(mut child) = self.awake.take() else { return };
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
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
}

fn told(command: &Command, error: &io::Error) -> String {
    format!("{} could not be started: {error}", command.get_program().to_string_lossy())
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
    #[test]
    fn what_keeps_awake_ends_with_the_app() {
        let mut command = Command::new("cat");
        command.stdin(Stdio::piped());
        let mut child = start(&mut command).unwrap();
        assert!(child.try_wait().unwrap().is_none());
        // The app is gone: its end of the pipe is closed by the system.
        drop(child.stdin.take());
        assert!(child.wait().unwrap().success());
        let mut system = System { awake: Some(start(command.stdin(Stdio::piped())).unwrap()) };
        system.keep_awake(false).unwrap();
        assert!(system.awake.is_none());
    }
}
