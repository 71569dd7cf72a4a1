//! The broker (代理): the queue platform at the other end of the runtime's own
//! queue bindings, as an HTTP server in the harness.
//!
//! workerd reaches it over an external service for each queue, which adds the
//! queue's number and the harness's token to every request: other processes of
//! this machine can reach the port, but neither read nor steer anything.

mod http;
mod message;
pub(super) mod scene;

use std::{
    collections::BTreeMap,
    io::{self, BufReader},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use duipai_platform::Refusal;
use duipai_spec::event::Call;

use self::http::{Request, Response};
use super::config::External;
use crate::{judge::one_line, plan::Binding};

/// The headers that workerd adds.
const QUEUE_HEADER: &str = "x-duipai-queue";
const TOKEN_HEADER: &str = "x-duipai-token";

/// What a queue answers that accepts.
const ACCEPTED: &str = r#"{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0}}}"#;

/// Greatest size of all arguments of a scene, in bytes.
const MAX_LOG_BYTES: usize = 64 * 1024 * 1024;

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 256;

/// How long a connection is waited on before it is asked whether to go on.
const PATIENCE: Duration = Duration::from_millis(100);

/// The broker. Dropping it closes its port.
#[derive(Debug)]
pub(super) struct Broker {
    shared: Arc<Shared>,
    port: u16,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    token: String,
    /// Names of the queues, by their numbers.
    queues: Mutex<Vec<String>>,
    scene: Mutex<Option<Open>>,
    closed: AtomicBool,
    connections: AtomicUsize,
}

/// A scene that is being played.
#[derive(Debug)]
struct Open {
    bindings: BTreeMap<String, Binding>,
    calls: Vec<Call>,
    logged: usize,
    /// How the runtime departed from the wire format.
    departure: Option<String>,
}

impl Broker {
    /// A broker on a free port of this machine, for who knows `token`.
    ///
    /// # Errors
    ///
    /// When there is no such port or thread.
    pub(super) fn start(token: String) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared {
            token,
            queues: Mutex::default(),
            scene: Mutex::default(),
            closed: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let accepting = {
            let shared = Arc::clone(&shared);
            let thread = thread::Builder::new().name("broker".to_owned());
            thread.spawn(move || accept(&listener, &shared))?
        };
        Ok(Self { shared, port, accepting: Some(accepting) })
    }

    /// The services through which queues of these names lead here, in the same
    /// order.
    pub(super) fn services(&self, names: &[String]) -> Vec<External> {
        let mut queues = locked(&self.shared.queues);
        let number = |name: &String| {
            queues.iter().position(|one| one == name).unwrap_or_else(|| {
                queues.push(name.clone());
                queues.len() - 1
            })
        };
        let service = |number: usize| External {
            name: format!("queue-{number}"),
            port: self.port,
            headers: vec![
                (QUEUE_HEADER, number.to_string()),
                (TOKEN_HEADER, self.shared.token.clone()),
            ],
        };
        names.iter().map(number).map(service).collect()
    }

    /// From now on queues answer so, and what they are called with is logged.
    pub(super) fn open(&self, bindings: &BTreeMap<String, Binding>) {
        let bindings = bindings.clone();
        let open = Open { bindings, calls: Vec::new(), logged: 0, departure: None };
        *locked(&self.shared.scene) = Some(open);
    }

    /// The calls since [`open`](Self::open), in the order of their arrival. Later
    /// ones are refused.
    ///
    /// # Errors
    ///
    /// How the runtime departed from the wire format.
    pub(super) fn close(&self) -> Result<Vec<Call>, String> {
        match locked(&self.shared.scene).take() {
            Some(Open { departure: Some(departure), .. }) => Err(departure),
            Some(Open { calls, .. }) => Ok(calls),
            None => Ok(Vec::new()),
        }
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Relaxed);
        // Wakes the thread that accepts; should it be gone, so is the port.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(accepting) = self.accepting.take() {
            // It does not panic.
            let _ = accepting.join();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.closed.load(Ordering::Relaxed) {
            return;
        }
        let Ok(stream) = stream else {
            // Out of descriptors, perhaps; that may pass.
            thread::sleep(PATIENCE);
            continue;
        };
        if shared.connections.fetch_add(1, Ordering::Relaxed) >= MAX_CONNECTIONS {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let served = Arc::clone(shared);
        let thread = thread::Builder::new().name("broker-connection".to_owned());
        let spawned = thread.spawn(move || {
            // A connection that breaks is the runtime's matter: it tells the
            // Worker.
            let _ = serve(&stream, &served);
            let _ = stream.shutdown(Shutdown::Both);
            served.connections.fetch_sub(1, Ordering::Relaxed);
        });
        if spawned.is_err() {
            shared.connections.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Answers every request of a connection.
fn serve(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        if !wait(stream, &mut reader, shared)? {
            return Ok(());
        }
        let Some(request) = http::read(&mut reader)? else { return Ok(()) };
        let response = shared.answer(&request);
        http::write(&mut &*stream, &response)?;
    }
}

/// Waits for the first byte of a request; `false` if the broker is closed.
fn wait(
    stream: &TcpStream,
    reader: &mut BufReader<&TcpStream>,
    shared: &Shared,
) -> io::Result<bool> {
    use io::BufRead as _;

    stream.set_read_timeout(Some(PATIENCE))?;
    while !shared.closed.load(Ordering::Relaxed) {
        match reader.fill_buf() {
            Ok(_) => {
                // The rest is under way.
                stream.set_read_timeout(Some(Duration::from_secs(10)))?;
                return Ok(true);
            }
            Err(error)
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

impl Shared {
    fn answer(&self, request: &Request) -> Response {
        if request.header(TOKEN_HEADER) != Some(&*self.token) {
            return refusal(403, "wrong token");
        }
        let number = request.header(QUEUE_HEADER).and_then(|number| number.parse::<usize>().ok());
        let queue = number.and_then(|number| locked(&self.queues).get(number).cloned());
        let Some(queue) = queue else { return refusal(404, "no such queue") };
        let mut scene = locked(&self.scene);
        let Some(open) = scene.as_mut() else { return refusal(410, "the event is over") };
        let call = match message::call(&queue, request) {
            Ok(call) => call,
            Err(departure) => {
                open.departure.get_or_insert(departure);
                return refusal(400, "not the wire format");
            }
        };
        if let Call::Send { arguments, .. } | Call::SendBatch { arguments, .. } = &call {
            open.logged = open.logged.saturating_add(arguments.len());
        }
        if open.logged > MAX_LOG_BYTES {
            open.departure.get_or_insert(format!("more than {MAX_LOG_BYTES} bytes were sent"));
            return refusal(400, "the log is full");
        }
        open.calls.push(call);
        match open.bindings.get(&queue) {
            Some(Binding::Accepts) => accepted(),
            Some(Binding::Refuses(refusal)) => refused(refusal),
            _ => refusal(404, "no such queue"),
        }
    }
}

fn accepted() -> Response {
    let headers = vec![("Content-Type", String::from("application/json"))];
    Response { status: 200, reason: String::from("OK"), headers, body: ACCEPTED }
}

fn refused(refusal: &Refusal) -> Response {
    let Refusal { status, reason, code, cause, .. } = refusal.clone();
    let mut headers = vec![("CF-Queues-Error-Code", code), ("CF-Queues-Error-Cause", cause)];
    headers.retain(|(_, value)| !value.is_empty());
    Response { status, reason, headers, body: "" }
}

fn refusal(status: u16, reason: &str) -> Response {
    Response { status, reason: one_line(reason, 100), headers: Vec::new(), body: "" }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;

    fn broker() -> (Broker, Vec<External>) {
        let broker = Broker::start("secret".to_owned()).unwrap();
        let services = broker.services(&["A".to_owned(), "乙".to_owned()]);
        (broker, services)
    }

    /// Sends `1` to the queue with these headers, and returns the answer's first
    /// line.
    fn send(port: u16, headers: &[(&'static str, String)]) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let mut text = String::from(
            "POST /message HTTP/1.1\r\nContent-Length: 1\r\nX-Msg-Fmt: json\r\n\
             Content-Type: application/octet-stream\r\n",
        );
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n1").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn queues_keep_their_numbers() {
        let (broker, services) = broker();
        let again = broker.services(&["乙".to_owned(), "C".to_owned()]);
        let names = |services: &[External]| {
            services.iter().map(|service| service.name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&services), ["queue-0", "queue-1"]);
        assert_eq!(names(&again), ["queue-1", "queue-2"]);
    }

    #[test]
    fn calls_are_logged_while_a_scene_is_open() {
        let (broker, services) = broker();
        let second = &services[1];
        assert_eq!(send(second.port, &second.headers), "HTTP/1.1 410 the event is over");
        let refusal = Refusal {
            status: 429,
            reason: "Too Many".to_owned(),
            code: "7".to_owned(),
            cause: String::new(),
            compatibility_date: "2026-10-01".to_owned(),
        };
        broker.open(&BTreeMap::from([
            ("A".to_owned(), Binding::Refuses(refusal)),
            ("乙".to_owned(), Binding::Accepts),
        ]));
        assert_eq!(send(second.port, &second.headers), "HTTP/1.1 200 OK");
        assert_eq!(send(services[0].port, &services[0].headers), "HTTP/1.1 429 Too Many");
        let arguments = "[1,{\"contentType\":\"json\"}]".to_owned();
        let call = |binding: &str| Call::Send {
            binding: binding.to_owned(),
            arguments: arguments.clone(),
        };
        assert_eq!(broker.close(), Ok(vec![call("乙"), call("A")]));
        assert_eq!(broker.close(), Ok(Vec::new()));
    }

    #[test]
    fn who_does_not_know_the_token_changes_nothing() {
        let (broker, services) = broker();
        broker.open(&BTreeMap::from([("A".to_owned(), Binding::Accepts)]));
        let port = services[0].port;
        let wrong = [(QUEUE_HEADER, "0".to_owned()), (TOKEN_HEADER, "guess".to_owned())];
        for headers in [&[][..], &wrong[..1], &wrong] {
            assert_eq!(send(port, headers), "HTTP/1.1 403 wrong token");
        }
        assert_eq!(broker.close(), Ok(Vec::new()));
    }

    #[test]
    fn a_departure_from_the_wire_format_is_told() {
        let (broker, services) = broker();
        broker.open(&BTreeMap::from([("A".to_owned(), Binding::Accepts)]));
        let mut headers = services[0].headers.clone();
        headers.push(("X-Msg-Delay-Secs", "soon".to_owned()));
        assert_eq!(send(services[0].port, &headers), "HTTP/1.1 400 not the wire format");
        assert!(broker.close().unwrap_err().contains("a delay of `soon`"));
    }

    #[test]
    fn the_port_is_closed_with_the_broker() {
        let (broker, services) = broker();
        let open = TcpStream::connect((Ipv4Addr::LOCALHOST, services[0].port)).unwrap();
        drop(broker);
        TcpStream::connect((Ipv4Addr::LOCALHOST, services[0].port)).unwrap_err();
        let mut rest = Vec::new();
        assert_eq!((&open).read_to_end(&mut rest).unwrap_or(0), 0);
    }
}
