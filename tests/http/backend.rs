//! A backend of raw bytes: it keeps what it is sent before anything is parsed, and answers as told.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// One request as it came: its head and body, byte by byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub head: String,
    pub body: Vec<u8>,
}

impl Request {
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap()
    }

    /// What stands between the first and the last space of the first line.
    pub fn target(&self) -> &str {
        let line = self.head.lines().next().unwrap();
        let (start, end) = (line.find(' ').unwrap(), line.rfind(' ').unwrap());
        &line[start + 1..end]
    }

    /// Every value under a name.
    pub fn header(&self, name: &str) -> Vec<&str> {
        let fields = self
            .head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(':'));
        fields
            .filter(|(field, _)| field.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
            .collect()
    }

    /// Everything, as text.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, String::from_utf8_lossy(&self.body))
    }
}

/// What the backend does after a request.
#[derive(Debug, Clone)]
pub enum Step {
    Send(Vec<u8>),
    /// Ends the connection as TCP does.
    Close,
    /// Breaks the connection off.
    Reset,
    /// Does nothing more, and keeps the connection.
    Hang,
    /// Sends this again and again.
    Endless(Vec<u8>),
}

/// What the backend does after its requests, by their number.
type Script = Arc<dyn Fn(usize, &Request) -> Vec<Step> + Send + Sync>;

/// A listening backend; it ends when it is dropped.
pub struct Backend {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    connections: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Backend {
    /// A backend that does after each request what `script` says.
    pub async fn scripted(
        script: impl Fn(usize, &Request) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let connections = Arc::new(AtomicUsize::new(0));
        let script: Script = Arc::new(script);
        let (kept, counted) = (requests.clone(), connections.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, kept.clone(), script.clone()));
            }
        });
        Self {
            address,
            requests,
            connections,
            task,
        }
    }

    /// A backend that answers every request with 200 and this JSON.
    pub async fn answering(json: &'static str) -> Self {
        Self::scripted(move |_, _| vec![ok(json)]).await
    }

    /// A backend that nobody should hear of.
    pub async fn tripwire() -> Self {
        Self::answering("{}").await
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }

    /// The one request that came.
    pub fn request(&self) -> Request {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Backend {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, requests: Arc<Mutex<Vec<Request>>>, script: Script) {
    let mut buffer = Vec::new();
    while let Some(request) = read(&mut stream, &mut buffer).await {
        let number = {
            let mut requests = requests.lock().unwrap();
            requests.push(request.clone());
            requests.len() - 1
        };
        for step in script(number, &request) {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Step::Close => return,
                Step::Reset => {
                    stream.set_zero_linger().unwrap();
                    return;
                }
                Step::Hang => std::future::pending().await,
                Step::Endless(bytes) => while stream.write_all(&bytes).await.is_ok() {},
            }
        }
    }
}

async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<Request> {
    let end = loop {
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8_lossy(&buffer[..end]).into_owned();
    let mut request = Request {
        head,
        body: Vec::new(),
    };
    let length = request
        .header("content-length")
        .first()
        .map_or(0, |n| n.parse().unwrap());
    assert_eq!(
        request.header("transfer-encoding"),
        Vec::<&str>::new(),
        "bodies have a length"
    );
    while buffer.len() < end + length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    request.body = buffer[end..end + length].to_vec();
    buffer.drain(..end + length);
    Some(request)
}

/// A response of this status line's end and body.
pub fn response(status: &str, body: impl AsRef<[u8]>) -> Step {
    let body = body.as_ref();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    Step::Send([head.as_bytes(), body].concat())
}

pub fn ok(json: impl AsRef<[u8]>) -> Step {
    response("200 OK", json)
}

/// A response that sends the client elsewhere.
pub fn redirect(status: u16, location: &str) -> Step {
    let head =
        format!("HTTP/1.1 {status} Elsewhere\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    Step::Send(head.into_bytes())
}
