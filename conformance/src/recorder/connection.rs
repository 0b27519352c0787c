//! One connection: everything that comes is kept, and each request is answered in its turn.

use std::io;
use std::ops::ControlFlow;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::sleep;

use super::framing::{Framer, Progress};
use super::log::Log;
use super::recorded::Recorded;
use super::script::{Script, Step};
use crate::trial::contained;

/// What the reading half tells the answering half.
enum Heard {
    Request(Recorded),
    /// The client waits to be told to send its body.
    Awaited,
}

/// How a script ends its connection.
enum End {
    Closed,
    Reset,
}

impl End {
    fn of(self, write: OwnedWriteHalf) {
        match self {
            Self::Closed => drop(write),
            // Dropped, it would say goodbye first.
            Self::Reset => write.forget(),
        }
    }
}

/// Serves a connection to its end.
pub(super) async fn serve(stream: TcpStream, log: &Log) {
    let connection = log.connected();
    // Without it, a reply that is sent in pieces waits for the client's acknowledgement.
    let _ = stream.set_nodelay(true);
    let (read, mut write) = stream.into_split();
    let greeting = contained(|| log.responder().greet(connection)).unwrap_or_default();
    if let ControlFlow::Break(end) = play(&greeting, b"", &mut write).await {
        end.of(write);
        return;
    }
    let (tell, told) = unbounded_channel();
    // Reading goes on while an answer waits or drips: what is sent meanwhile is heard at once.
    tokio::select! {
        () = listen(read, connection, log, tell) => {}
        () = answer(told, log, write) => {}
    }
}

/// Reads until the client ends the connection; the answers still due are given all the same.
async fn listen(
    mut read: OwnedReadHalf,
    connection: usize,
    log: &Log,
    tell: UnboundedSender<Heard>,
) {
    let mut framer = Framer::default();
    let mut chunk = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = read.read(&mut chunk).await {
        log.heard(connection, &chunk[..count]);
        framer.push(&chunk[..count]);
        loop {
            let heard = match framer.next(connection) {
                Progress::Done(request) => {
                    log.record(request.clone());
                    Heard::Request(request)
                }
                Progress::Awaited => Heard::Awaited,
                Progress::More => break,
                Progress::Hopeless => {
                    record_rest(framer, connection, log);
                    return;
                }
            };
            // Nobody listens once the answering half has ended the connection.
            let _ = tell.send(heard);
        }
    }
    record_rest(framer, connection, log);
    drop(tell);
    std::future::pending().await
}

fn record_rest(framer: Framer, connection: usize, log: &Log) {
    if let Some(rest) = framer.rest(connection) {
        log.record(rest);
    }
}

async fn answer(mut told: UnboundedReceiver<Heard>, log: &Log, mut write: OwnedWriteHalf) {
    while let Some(heard) = told.recv().await {
        let Heard::Request(request) = heard else {
            if write
                .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")
                .await
                .is_err()
            {
                return;
            }
            continue;
        };
        let responder = log.responder();
        let ending = Script::new().close();
        let script = contained(|| responder.respond(&request)).unwrap_or(ending);
        if let ControlFlow::Break(end) = play(&script, request.method(), &mut write).await {
            end.of(write);
            return;
        }
        let asked_to_close = request
            .values_of("connection")
            .any(|value| value.eq_ignore_ascii_case(b"close"));
        if asked_to_close && !script.steps().is_empty() {
            let _ = write.shutdown().await;
            return;
        }
    }
}

/// Plays a script; it breaks where the connection is at its end.
async fn play(script: &Script, method: &[u8], write: &mut OwnedWriteHalf) -> ControlFlow<End> {
    for step in script.steps() {
        match play_step(step, method, write).await {
            Ok(ControlFlow::Continue(())) => {}
            Ok(ended @ ControlFlow::Break(_)) => return ended,
            Err(_) => return ControlFlow::Break(End::Closed),
        }
    }
    ControlFlow::Continue(())
}

async fn play_step(
    step: &Step,
    method: &[u8],
    write: &mut OwnedWriteHalf,
) -> io::Result<ControlFlow<End>> {
    match step {
        Step::Reply(reply) => write.write_all(&reply.wire(method)).await?,
        Step::Raw(bytes) => write.write_all(bytes).await?,
        Step::Wait(time) => pause(*time).await,
        Step::Drip { bytes, every } => {
            for byte in bytes {
                pause(*every).await;
                write.write_all(&[*byte]).await?;
            }
        }
        Step::Endless { bytes, every } => loop {
            pause(*every).await;
            write.write_all(bytes).await?;
        },
        Step::Reset => {
            write.as_ref().set_zero_linger()?;
            return Ok(ControlFlow::Break(End::Reset));
        }
        Step::Close => {
            write.shutdown().await?;
            return Ok(ControlFlow::Break(End::Closed));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Waits; no time at all is not rounded up to the timer's grain.
async fn pause(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}
