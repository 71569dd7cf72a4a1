//! As much of HTTP/1.1 as the runtime's queue bindings speak: requests with a
//! length, answers with any status, reason and header.

use std::io::{self, BufRead, Read as _, Write};

/// Greatest size of a request without its body, in bytes.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// Most headers of a request.
const MAX_HEADERS: usize = 64;

/// Greatest size of a request's body, in bytes.
const MAX_BODY_BYTES: u64 = 64 * 1024 * 1024;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    /// Names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// The value of the header with this lower-case name, if it is there once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(one, _)| one == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }
}

/// Reads the next request; `None` if there is none.
///
/// # Errors
///
/// When the stream breaks, or brings what is no request with a length.
pub(super) fn read(stream: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(head) = read_head(stream)? else { return Ok(None) };
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(&head) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Err(bad("the request has no end")),
        Err(error) => return Err(bad(&format!("no request: {error}"))),
    }
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let mut request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        path: parsed.path.unwrap_or_default().to_owned(),
        headers: parsed
            .headers
            .iter()
            .map(|header| (header.name.to_ascii_lowercase(), text(header.value)))
            .collect(),
        body: Vec::new(),
    };
    let length = match request.header("content-length").map(str::parse) {
        Some(Ok(length)) if length <= MAX_BODY_BYTES => length,
        // Without a body, nothing needs a length.
        None if request.method == "GET" => 0,
        _ => return Err(bad("the request has no length that can be taken")),
    };
    stream.take(length).read_to_end(&mut request.body)?;
    if request.body.len() as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(request))
}

/// What comes before the body.
fn read_head(stream: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    loop {
        let room = (MAX_HEAD_BYTES - head.len()) as u64;
        let read = stream.take(room).read_until(b'\n', &mut head)?;
        if head.ends_with(b"\r\n\r\n") {
            return Ok(Some(head));
        }
        match read {
            0 if head.is_empty() => return Ok(None),
            0 => return Err(bad("the request's head is cut off or too long")),
            _ => {}
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: u16,
    pub(super) reason: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: &'static str,
}

/// Writes an answer after which the connection stays open.
///
/// # Errors
///
/// When the stream breaks.
pub(super) fn write(stream: &mut impl Write, response: &Response) -> io::Result<()> {
    let Response { status, reason, headers, body } = response;
    let mut text = format!("HTTP/1.1 {status} {reason}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

fn bad(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_follow_each_other() {
        let text = "POST /message HTTP/1.1\r\nContent-Length: 4\r\nX-Msg-Fmt: json\r\n\r\n[1]\n\
                    GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n";
        let mut stream = text.as_bytes();
        let first = read(&mut stream).unwrap().unwrap();
        assert_eq!((&*first.method, &*first.path), ("POST", "/message"));
        assert_eq!(first.header("x-msg-fmt"), Some("json"));
        assert_eq!(first.body, b"[1]\n");
        assert_eq!(read(&mut stream).unwrap().unwrap().path, "/metrics");
        assert!(read(&mut stream).unwrap().is_none());
    }

    #[test]
    fn what_is_no_request_is_an_error() {
        let long = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(100_000));
        for text in [
            "nonsense\r\n\r\n",
            "POST / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab",
            "POST / HTTP/1.1\r\nContent-Length: 5",
            &long,
        ] {
            read(&mut text.as_bytes()).unwrap_err();
        }
    }

    #[test]
    fn an_answer_may_give_any_reason() {
        let mut written = Vec::new();
        let headers = vec![("CF-Queues-Error-Cause", "满".to_owned())];
        let reason = "Queue is full".to_owned();
        write(&mut written, &Response { status: 500, reason, headers, body: "{}" }).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), {
            "HTTP/1.1 500 Queue is full\r\nContent-Length: 2\r\n\
             CF-Queues-Error-Cause: 满\r\n\r\n{}"
        });
    }
}
