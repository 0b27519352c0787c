//! The listening side: a thread of its own that accepts, and a barrier behind which all is heard.

use std::collections::HashSet;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::connection::serve;
use super::log::{Log, Tally};
use super::recorded::Recorded;
use super::respond::Respond;
use super::script::Reply;

/// How often the barrier goes to and fro: once would do where every byte is read at once.
const TURNS: usize = 4;

/// The barrier gives up after this: the recorder's thread is starved, and nothing can be known.
const PATIENCE: Duration = Duration::from_secs(10);

/// A backend that keeps what it is sent and answers as its [`Respond`] says. It listens until it is
/// dropped; the connections still open then are reset.
pub struct Recorder {
    address: SocketAddr,
    log: Arc<Log>,
    barriers: Arc<Barriers>,
    handle: Handle,
    _stop: oneshot::Sender<()>,
}

/// The local addresses of the barrier's own connections, which are not recorded.
#[derive(Default)]
struct Barriers(Mutex<HashSet<SocketAddr>>);

impl Recorder {
    /// Starts a backend on a free port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Where no port or no thread can be had.
    pub fn start(responder: impl Respond) -> io::Result<Self> {
        Self::start_on(IpAddr::V4(Ipv4Addr::LOCALHOST), responder)
    }

    /// Starts a backend on a free port of an address of this machine.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start), and where the address is not this machine's.
    pub fn start_on(address: IpAddr, responder: impl Respond) -> io::Result<Self> {
        let log = Arc::new(Log::new(Arc::new(responder)));
        let barriers = Arc::new(Barriers::default());
        let listener = std::net::TcpListener::bind((address, 0))?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let (served, recording) = (Arc::clone(&log), Arc::clone(&barriers));
        let _entered = handle.enter();
        let listener = TcpListener::from_std(listener)?;
        thread::Builder::new()
            .name("proofmark-recorder".to_owned())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = accept(listener, &served, &recording) => {}
                        _ = stopped => {}
                    }
                });
                // Dropping the runtime drops the connections.
            })?;
        drop(_entered);
        Ok(Self {
            address,
            log,
            barriers,
            handle,
            _stop: stop,
        })
    }

    /// A backend that nothing should ever reach; it answers `{}`, so that whatever does is content.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn tripwire() -> io::Result<Self> {
        Self::start(Reply::json(200, &serde_json::json!({})))
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://` and its address, without a `/` at the end.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers as `responder` says from now on.
    pub fn answer_with(&self, responder: impl Respond) {
        self.log.answer_with(Arc::new(responder));
    }

    /// Every request so far, in the order in which they ended; what a client broke off is among
    /// them once its connection has ended. All that was sent before the call is taken into account.
    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.settle();
        self.log.requests()
    }

    /// The bytes of each connection on which any came, whether they are a request or not. All that
    /// was sent before the call is taken into account.
    #[must_use]
    pub fn heard(&self) -> Vec<Vec<u8>> {
        self.settle();
        self.log.bytes()
    }

    /// Whether not a single byte came so far.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.heard().is_empty()
    }

    /// How many connections were made so far, even those on which nothing came.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.settle();
        self.log.connections()
    }

    /// How much came so far; what is still on its way is not waited for.
    pub(crate) fn tally(&self) -> Tally {
        self.log.tally()
    }

    /// How much came so far. All that was sent before the call is taken into account.
    pub(crate) fn settled_tally(&self) -> Tally {
        self.settle();
        self.log.tally()
    }

    /// Whether not a byte came since then, and the requests that did. All that was sent before the
    /// call is taken into account.
    pub(crate) fn since(&self, tally: Tally) -> (bool, Vec<Recorded>) {
        self.settle();
        (self.log.tally() == tally, self.log.requests_since(tally))
    }

    /// Waits until so many requests were recorded; `false` where `patience` ends first.
    #[must_use]
    pub fn wait_for(&self, count: usize, patience: Duration) -> bool {
        self.log.wait_for(count, patience)
    }

    /// Waits until all that was sent before is recorded. Connections are accepted and read in the
    /// order in which they became ready, so what the barrier's own connection says comes last.
    fn settle(&self) {
        let (done, settled) = mpsc::channel();
        let (address, barriers) = (self.address, Arc::clone(&self.barriers));
        self.handle.spawn(async move {
            let _ = timeout(PATIENCE, barriers.pass(address)).await;
            let _ = done.send(());
        });
        let _ = settled.recv_timeout(PATIENCE);
    }
}

impl Barriers {
    async fn pass(&self, address: SocketAddr) -> io::Result<()> {
        let socket = match address {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.bind(SocketAddr::new(address.ip(), 0))?;
        let own = socket.local_addr()?;
        self.lock().insert(own);
        let mut stream = socket.connect(address).await?;
        // Closed in the usual way, its port would be kept from everyone for a minute: there are
        // many barriers, and not so many ports.
        stream.set_zero_linger()?;
        for _ in 0..TURNS {
            stream.write_all(b".").await?;
            stream.read_exact(&mut [0]).await?;
        }
        Ok(())
    }

    /// Whether the connection is the barrier's own; asked once for each.
    fn owns(&self, peer: SocketAddr) -> bool {
        self.lock().remove(&peer)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<SocketAddr>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn accept(listener: TcpListener, log: &Arc<Log>, barriers: &Barriers) {
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // A connection that is gone already is no reason to stop listening; a process that is
            // out of descriptors has to wait for one.
            sleep(Duration::from_millis(1)).await;
            continue;
        };
        if barriers.owns(peer) {
            tokio::spawn(send_back(stream));
        } else {
            let log = Arc::clone(log);
            tokio::spawn(async move { serve(stream, &log).await });
        }
    }
}

async fn send_back(mut stream: TcpStream) -> io::Result<()> {
    let mut byte = [0];
    loop {
        stream.read_exact(&mut byte).await?;
        stream.write_all(&byte).await?;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}
