//! V8, if there is a Node: one process times itself and prints what it found.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use crate::corpora::Corpus;

/// Warms up, then takes the best of many short rounds for each text.
const SCRIPT: &str = r"
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const canonical = text => JSON.stringify(JSON.parse(text));
let sink = 0;
const micros = texts.map(text => {
  for (let i = 0; i < 50; i++) sink += canonical(text).length;
  const times = Math.max(1, Math.floor(20000 / text.length));
  let best = Infinity;
  for (let round = 0; round < 300; round++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < times; i++) sink += canonical(text).length;
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e3 / times);
  }
  return best;
});
console.log(JSON.stringify({version: process.version, micros, texts: texts.map(canonical), sink}));
";

/// What Node says of some texts.
pub(crate) struct Measured {
    pub(crate) version: String,
    /// Microseconds for each text, string to string.
    pub(crate) micros: Vec<f64>,
    /// The canonical texts.
    pub(crate) texts: Vec<String>,
}

/// Runs Node on the texts; an error says in one line why there is no answer.
pub(crate) fn measure(corpora: &[Corpus]) -> Result<Measured, String> {
    let texts: Vec<_> = corpora.iter().map(|corpus| &corpus.text).collect();
    let input = serde_json::to_vec(&texts).map_err(|error| error.to_string())?;
    let mut node = Command::new("node")
        .args(["-e", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("node does not start: {error}"))?;
    // Node reads all of it before it writes anything.
    let written = node.stdin.take().map(|mut stdin| stdin.write_all(&input));
    let output = node.wait_with_output().map_err(|error| error.to_string())?;
    if !output.status.success() || !matches!(written, Some(Ok(()))) {
        return Err(format!("node fails: {}", output.status));
    }
    let answer: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("node answers: {error}"))?;
    let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
    Ok(Measured {
        version: answer["version"].as_str().unwrap_or("?").to_owned(),
        micros: list("micros").iter().filter_map(serde_json::Value::as_f64).collect(),
        texts: list("texts").iter().filter_map(|text| text.as_str().map(str::to_owned)).collect(),
    })
}
