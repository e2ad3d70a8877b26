//! A server of one file for tests, on this machine, that misbehaves on purpose.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The answer of the server to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// As it should.
    Right,
    /// It ends the connection after so many bytes of the body.
    Breaks(usize),
    /// It sends the whole file whatever part is asked for.
    IgnoresRanges,
    /// It sends a part that begins at another byte than the one asked for.
    WrongRange,
    /// It promises another length than the file has.
    Promises(u64),
    /// It names no length, and sends more bytes than the file has.
    Endless,
    /// It refuses with this status.
    Status(u16),
}

/// The server. It answers the requests in turn in these manners; the last one goes on.
pub struct Server {
    port: u16,
    requests: Arc<AtomicUsize>,
    ranges: Arc<Mutex<Vec<Option<usize>>>>,
}

impl Server {
    /// Starts a server of this content.
    pub fn start(content: &[u8], manners: &[Manner]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(AtomicUsize::new(0));
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let (count, asked) = (requests.clone(), ranges.clone());
        let (content, manners) = (content.to_vec(), manners.to_vec());
        let serve = move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let at = count.fetch_add(1, Ordering::SeqCst).min(manners.len() - 1);
                let range = range_of(&stream);
                asked.lock().unwrap().push(range);
                let _ = answer(stream, &content, range, manners[at]); // the client may have gone
            }
        };
        std::thread::Builder::new().name("server".to_owned()).spawn(serve).unwrap();
        Self { port, requests, ranges }
    }

    /// Returns the address of a file of this name.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    /// Counts the requests there were.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }

    /// Returns the first byte that each request asked for, where it asked for a part.
    pub fn ranges(&self) -> Vec<Option<usize>> {
        self.ranges.lock().unwrap().clone()
    }
}

/// Returns the first byte of the part that a request asks for.
fn range_of(stream: &TcpStream) -> Option<usize> {
    let lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let heads: Vec<String> = lines.map(|line| line.to_lowercase()).collect();
    let range = heads.iter().find_map(|line| line.strip_prefix("range: bytes="))?;
    range.trim_end_matches('-').parse().ok()
}

fn answer(
    mut stream: TcpStream,
    content: &[u8],
    range: Option<usize>,
    manner: Manner,
) -> std::io::Result<()> {
    let from = if manner == Manner::IgnoresRanges { 0 } else { range.unwrap_or(0) };
    let body = &content[from.min(content.len())..];
    let head = match (manner, from) {
        (Manner::Status(status), _) => format!("HTTP/1.1 {status} No\r\n"),
        (_, 0) => "HTTP/1.1 200 OK\r\n".to_owned(),
        (_, from) => {
            let first = if manner == Manner::WrongRange { from + 1 } else { from };
            let (last, all) = (content.len() - 1, content.len());
            format!("HTTP/1.1 206 Partial Content\r\nContent-Range: bytes {first}-{last}/{all}\r\n")
        }
    };
    let length = match manner {
        Manner::Promises(bytes) => Some(bytes),
        Manner::Endless => None,
        Manner::Status(_) => Some(0),
        Manner::Right | Manner::Breaks(_) | Manner::IgnoresRanges | Manner::WrongRange => {
            Some(body.len() as u64)
        }
    };
    let length = length.map(|length| format!("Content-Length: {length}\r\n")).unwrap_or_default();
    stream.write_all(format!("{head}{length}Connection: close\r\n\r\n").as_bytes())?;
    match manner {
        Manner::Breaks(after) => stream.write_all(&body[..after.min(body.len())]),
        Manner::Endless => stream.write_all(&[body, b"more"].concat()),
        Manner::Status(_) => Ok(()),
        Manner::Right | Manner::IgnoresRanges | Manner::WrongRange | Manner::Promises(_) => {
            stream.write_all(body)
        }
    }
}
