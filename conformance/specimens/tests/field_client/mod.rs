//! A small blocking HTTP client with a switch for each public fault of executors.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proofmark::async_trait;
use proofmark::executor::{BackendFault, ExecutionError, HttpExecutor, RequestRefusal};
use proofmark::path::ResolvedPath;
use proofmark::request::OutboundRequest;
use proofmark_conformance::profile::AuthScheme;
use proofmark_conformance::subject::ExecutorEnv;
use serde_json::Value;
use url::{Url, form_urlencoded};

/// What is wrong with a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    TakesAbsolutePaths,
    ResolvesAgainstTheBase,
    ReadsColonsAsSchemes,
    ReplaysBodies,
    ComparesHostsOnly,
    QuotesTheUrl,
    NamesItsEndpoint,
    QuotesTheCredential,
    UsesTheProxy,
    WritesObjectsAsText,
    RenamesLists,
    GluesPairs,
    SendsInClear,
    TracesTheQuery,
    TracesHeaders,
    QuotesItsSettings,
    SeesPlainEchoesOnly,
}

/// The pair that holds the key, under the scheme of that kind.
pub const KEY: &str = "api_key";

pub struct Client {
    fault: Fault,
    env: ExecutorEnv,
    base: Url,
}

/// Why a client is not built.
#[derive(Debug)]
pub struct Unbuilt(String);

impl fmt::Display for Unbuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unbuilt {}

impl Client {
    pub fn new(env: &ExecutorEnv, fault: Fault) -> Result<Self, Unbuilt> {
        let refuse = |why: &str| Err(Unbuilt(why.to_owned()));
        let Ok(base) = Url::parse(env.base_url()) else {
            return refuse("the base URL cannot be read");
        };
        let has_user = !base.username().is_empty() || base.password().is_some();
        if (has_user && fault != Fault::NamesItsEndpoint)
            || base.query().is_some()
            || base.fragment().is_some()
        {
            return refuse("the base URL has parts that it must not have");
        }
        if env.credential().contains(char::is_control) {
            return match fault {
                Fault::QuotesTheCredential => refuse(&format!(
                    "{:?} is no header value",
                    format!("Bearer {}", env.credential())
                )),
                _ => refuse("the credential cannot be sent"),
            };
        }
        let is_local = matches!(base.host(), Some(url::Host::Ipv4(host)) if host.is_loopback());
        let is_exposed = base.scheme() == "http" && !is_local && env.scheme().is_some();
        if is_exposed && fault != Fault::SendsInClear {
            return refuse("a credential does not travel in clear");
        }
        Ok(Self {
            fault,
            env: env.clone(),
            base,
        })
    }

    /// The address that is connected to, and the target without the added pairs.
    fn destination(&self, path: &str) -> (String, String) {
        let address = self.base.authority().rsplit('@').next().unwrap_or_default();
        let prefix = self.base.path().trim_end_matches('/');
        let own = (address.to_owned(), format!("{prefix}{path}"));
        match self.fault {
            Fault::TakesAbsolutePaths => match path.strip_prefix("/http:") {
                Some(rest) => {
                    let (host, rest) = rest.split_once('/').unwrap_or((rest, ""));
                    (host.to_owned(), format!("/{rest}"))
                }
                None => own,
            },
            Fault::ResolvesAgainstTheBase => match self.base.join(path) {
                Ok(url) => (
                    address.to_owned(),
                    url[url::Position::BeforePath..].to_owned(),
                ),
                Err(_) => own,
            },
            Fault::ReadsColonsAsSchemes => match Url::parse(&path[1..]) {
                Ok(url) if !url.has_host() => (address.to_owned(), url.path().to_owned()),
                _ => own,
            },
            _ => own,
        }
    }

    /// The fields as pairs.
    fn pairs(&self, body: Option<Value>) -> Result<Vec<(String, String)>, RequestRefusal> {
        let fields = match body {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Object(fields)) => fields,
            Some(_) => return Err(RequestRefusal::NotAnObject),
        };
        let mut pairs = Vec::new();
        for (key, value) in fields {
            match value {
                Value::String(text) if text.contains(char::is_control) => {
                    return Err(RequestRefusal::ControlCharacter { key });
                }
                Value::String(text) => pairs.push((key, text)),
                Value::Number(_) | Value::Bool(_) => pairs.push((key, value.to_string())),
                Value::Object(_) if self.fault == Fault::WritesObjectsAsText => {
                    pairs.push((key, "[object Object]".to_owned()));
                }
                Value::Array(items)
                    if self.fault == Fault::RenamesLists && items.iter().all(Value::is_string) =>
                {
                    let texts = items.iter().filter_map(Value::as_str);
                    pairs.extend(texts.map(|text| (format!("{key}[]"), text.to_owned())));
                }
                _ => return Err(RequestRefusal::NotScalar { key }),
            }
        }
        Ok(pairs)
    }

    fn target(&self, target: &str, pairs: &[(String, String)]) -> String {
        if pairs.is_empty() {
            return target.to_owned();
        }
        let query = match self.fault {
            Fault::GluesPairs => {
                let pairs = pairs.iter().map(|(key, value)| format!("{key}={value}"));
                pairs.collect::<Vec<_>>().join("&")
            }
            _ => form_urlencoded::Serializer::new(String::new())
                .extend_pairs(pairs)
                .finish(),
        };
        let mark = if target.contains('?') { '&' } else { '?' };
        format!("{target}{mark}{query}")
    }

    async fn send(
        &self,
        method: &str,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        let method = method.to_ascii_uppercase();
        let (pairs, body) = match method.as_str() {
            "GET" => (self.pairs(body)?, None),
            "POST" => (Vec::new(), body),
            _ if self.fault == Fault::QuotesItsSettings => {
                return Err(ExecutionError::RefusedArguments {
                    message: format!("not with {:?}", self.env.credential()),
                });
            }
            _ => return Err(RequestRefusal::Method.into()),
        };
        let (address, target) = self.destination(path);
        let shown = format!("http://{address}{target}");
        let asked = OutboundRequest::new(self.env.tool(), &method, &shown, &pairs, body.as_ref())
            .with_call_id(self.env.call_id());
        self.env.policy().check(&asked).await?;

        let mut target = self.target(&target, &pairs);
        let credential = self.env.credential();
        let mut headers = String::new();
        match self.env.scheme() {
            Some(AuthScheme::QueryKey(name)) => {
                target = self.target(&target, &[(name.clone(), credential.to_owned())]);
            }
            Some(_) => headers = format!("authorization: Bearer {credential}\r\n"),
            None => {}
        }
        match self.fault {
            Fault::TracesTheQuery => tracing::trace!(query = target.as_str(), "sending"),
            Fault::TracesHeaders => tracing::debug!(headers = ?headers.as_bytes(), "sending"),
            _ => {}
        }
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let request = Request {
            method: &method,
            target: &target,
            headers: &headers,
            body: &body,
        };
        let answer = self.exchange(&address, &request);
        answer.map_err(|error| match self.fault {
            Fault::QuotesTheUrl => quoting(&error, &format!("http://{address}{target}")),
            Fault::NamesItsEndpoint => quoting(&error, self.base.as_str()),
            _ => error,
        })
    }

    fn exchange(&self, address: &str, request: &Request<'_>) -> Result<Value, ExecutionError> {
        if self.base.scheme() != "http" {
            return Err(BackendFault::Unreachable.into());
        }
        let proxy = std::env::var("HTTP_PROXY").unwrap_or_default();
        let broken = |_| ExecutionError::from(BackendFault::Broken);
        let until = Instant::now() + self.env.deadline();
        let mut answer = match proxy.strip_prefix("http://") {
            Some(proxy) if self.fault == Fault::UsesTheProxy => {
                let target = format!("http://{address}{}", request.target);
                let target = &target;
                request_once(proxy, &Request { target, ..*request }, until)
            }
            _ => request_once(address, request, until),
        }
        .map_err(broken)?;
        if let Some((host, path)) = answer.location.as_deref().and_then(elsewhere) {
            let host_of = |address: &str| address.split(':').next().map(str::to_owned);
            let target = &path;
            let onward = match self.fault {
                Fault::ReplaysBodies if matches!(answer.status, 307 | 308) => Some(Request {
                    target,
                    headers: "",
                    ..*request
                }),
                Fault::ComparesHostsOnly if host_of(&host) == host_of(address) => {
                    Some(Request { target, ..*request })
                }
                _ => None,
            };
            if let Some(onward) = onward {
                answer = request_once(&host, &onward, until).map_err(broken)?;
            }
        }
        self.read(answer)
    }

    fn read(&self, answer: Answer) -> Result<Value, ExecutionError> {
        let Answer { status, body, .. } = answer;
        if !(200..300).contains(&status) {
            return Err(ExecutionError::Status { status });
        }
        let text = String::from_utf8(body).map_err(|_| BackendFault::NotJson)?;
        let value: Result<Value, _> = serde_json::from_str(&text);
        // What is escaped in the text stands in the value as it is.
        let read = value.as_ref().map(Value::to_string).unwrap_or_default();
        let credential = self.env.credential();
        let forms = [
            credential.to_owned(),
            STANDARD.encode(credential),
            STANDARD.encode(format!("user:{credential}")),
        ];
        let watched = match self.fault {
            Fault::SeesPlainEchoesOnly => &forms[..1],
            _ => &forms[..],
        };
        let echoes = |form: &String| {
            let form = form.trim_end_matches('=');
            text.contains(form) || read.contains(form)
        };
        if !credential.is_empty() && watched.iter().any(echoes) {
            return Err(BackendFault::EchoedCredential.into());
        }
        value.map_err(|_| BackendFault::NotJson.into())
    }
}

fn quoting(error: &ExecutionError, text: &str) -> ExecutionError {
    ExecutionError::RefusedArguments {
        message: format!("{error} ({text})"),
    }
}

/// Host and path of an absolute URL.
fn elsewhere(location: &str) -> Option<(String, String)> {
    let rest = location.strip_prefix("http://")?;
    let (host, path) = rest.split_once('/')?;
    Some((host.to_owned(), format!("/{path}")))
}

#[derive(Clone, Copy)]
struct Request<'a> {
    method: &'a str,
    target: &'a str,
    headers: &'a str,
    body: &'a str,
}

struct Answer {
    status: u16,
    location: Option<String>,
    body: Vec<u8>,
}

const LARGEST: usize = 1 << 20;

/// One exchange over a connection of its own, whose end is the answer's.
fn request_once(address: &str, request: &Request<'_>, until: Instant) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    let length = request.body.len();
    let Request {
        method,
        target,
        headers,
        body,
    } = request;
    let kind = if body.is_empty() {
        String::new()
    } else {
        format!("content-type: application/json\r\ncontent-length: {length}\r\n")
    };
    write!(
        stream,
        "{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n{headers}{kind}\r\n{body}"
    )?;
    let mut answer = Vec::new();
    let mut chunk = [0; 16 << 10];
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || answer.len() > LARGEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        match stream.read(&mut chunk)? {
            0 => break,
            count => answer.extend_from_slice(&chunk[..count]),
        }
    }
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n");
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let end = end.ok_or_else(invalid)?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok());
    let location = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    Ok(Answer {
        status: status.ok_or_else(invalid)?,
        location: location.map(str::to_owned),
        body: answer.split_off(end + 4),
    })
}

#[async_trait]
impl HttpExecutor for Client {
    async fn execute_request(
        &self,
        method: &str,
        path: ResolvedPath<'_>,
        body: Option<Value>,
    ) -> Result<Value, ExecutionError> {
        self.send(method, path.as_str(), body).await
    }
}
