//! Splitter and normalizer beside the simple ones, other parsers and V8.
//!
//! `cargo bench -p duipai-fast --features peers`, and `-- splitter`,
//! `-- normalizer` or `-- respelled` for a part. Every way is first held against the simple
//! implementation, so what is timed is the same answer; then the ways take
//! turns for many short rounds, and the best of each counts. Absolute times
//! belong to the machine, the ratios less so.

#![expect(clippy::print_stdout, reason = "a bench speaks to a person")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::cell::RefCell;

use duipai_fast::{Kernel, Normalizer, canonical, items, items_with};
use duipai_host::json;
use duipai_queue::producer;

use crate::{
    corpora::Corpus,
    table::{Row, Way, geometric_mean, measure, print, verdict},
};

mod corpora;
mod node;
mod peers;
mod table;

fn main() {
    let filters: Vec<_> = std::env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let wanted = |part: &str| filters.is_empty() || filters.iter().any(|name| part.contains(name));
    let corpora = corpora::canonical();
    let sizes: Vec<_> =
        corpora.iter().map(|corpus| format!("{} {}", corpus.name, corpus.text.len())).collect();
    println!("bytes: {} · fastest kernel: {}", sizes.join(" · "), Kernel::best().name());
    if wanted("splitter") {
        splitter(&corpora);
    }
    if wanted("normalizer") {
        normalizer("normalizer, canonical text", &corpora);
    }
    if wanted("respelled") {
        normalizer("normalizer, the same batches respelled", &corpora::respelled());
    }
}

fn splitter(corpora: &[Corpus]) {
    for Corpus { name, text } in corpora {
        let naive: peers::Items<'_> = producer::checked_items(text)
            .unwrap()
            .iter()
            .map(|item| (item.body.into(), item.delay.seconds()))
            .collect();
        for kernel in Kernel::available() {
            let items = items_with(kernel, text).unwrap();
            let items: peers::Items<'_> =
                items.iter().map(|item| (item.body.into(), item.delay_seconds)).collect();
            assert_eq!(items, naive, "{} on {name}", kernel.name());
        }
        assert_eq!(peers::serde_json_raw(text).as_ref(), Some(&naive), "serde_json on {name}");
        assert_eq!(peers::sonic_lazy(text).as_ref(), Some(&naive), "sonic-rs on {name}");
        assert_eq!(peers::sonic_iterators(text).as_ref(), Some(&naive), "sonic-rs on {name}");
        assert_eq!(peers::simd_json_tape(text), Some(naive.len()), "simd-json on {name}");
    }
    let mut ways = vec![
        Way::new("naive (duipai-queue)", |text| producer::checked_items(text).map(|i| i.len())),
        Way::new("fast", |text| items(text).map(|items| items.len())),
    ];
    for kernel in Kernel::available() {
        let name = format!("  {}", kernel.name());
        ways.push(Way::new(name, move |text| items_with(kernel, text).map(|items| items.len())));
    }
    let kernels = ways.len();
    ways.push(Way::new("serde_json RawValue", |text| peers::serde_json_raw(text).map(|i| i.len())));
    ways.push(Way::new("sonic-rs LazyValue", |text| peers::sonic_lazy(text).map(|i| i.len())));
    ways.push(Way::new("sonic-rs iterators", |text| {
        peers::sonic_iterators(text).map(|items| items.len())
    }));
    ways.push(Way::new("simd-json tape (no bodies)", peers::simd_json_tape));
    let copy = RefCell::new(Vec::new());
    ways.push(Way::new("memcpy (limit)", move |text| {
        let mut copy = copy.borrow_mut();
        copy.clear();
        copy.extend_from_slice(text.as_bytes());
        copy.len()
    }));
    let rows = measure(&ways, corpora);
    print("splitter, ratio to the naive scanner", corpora, &rows);

    let (naive, fast) = (&rows[0], &rows[1]);
    let to_naive = fast.ratios(naive);
    let bounds = [0.20, 0.26, 0.10, 0.15, 0.35];
    verdict(
        "≤ 0.20 / 0.26 / 0.10 / 0.15 / 0.35 of naive",
        to_naive.iter().zip(bounds).all(|(ratio, bound)| *ratio <= bound),
        &list(&to_naive),
    );
    let times = 1.0 / geometric_mean(&fast.ratios(&rows[kernels]));
    verdict("≥ 4× serde_json RawValue", times >= 4.0, &format!("{times:.1}×"));
    let peers = &rows[kernels..rows.len() - 1];
    let best = Row {
        name: "best safe peer".to_owned(),
        micros: (0..corpora.len())
            .map(|corpus| peers.iter().map(|row| row.micros[corpus]).fold(f64::INFINITY, f64::min))
            .collect(),
    };
    let to_best = fast.ratios(&best);
    let never_slower = to_best.iter().all(|ratio| *ratio <= 1.0);
    verdict("never slower than the best safe peer", never_slower, &list(&to_best));
}

fn normalizer(title: &str, corpora: &[Corpus]) {
    let serde_json = |text: &str| {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        serde_json::to_string(&value).ok()
    };
    let sonic = |text: &str| {
        let value: sonic_rs::Value = sonic_rs::from_str(text).ok()?;
        sonic_rs::to_string(&value).ok()
    };
    for Corpus { name, text } in corpora {
        let simple = json::canonical(text).unwrap();
        for kernel in Kernel::available() {
            let seen = duipai_fast::canonical_with(kernel, text).unwrap();
            assert_eq!(seen.text, simple, "{} on {name}", kernel.name());
        }
        // Neither is JSON.stringify, but on these texts they say the same.
        assert_eq!(serde_json(text).as_ref(), Some(&simple), "serde_json on {name}");
        assert_eq!(sonic(text).as_ref(), Some(&simple), "sonic-rs on {name}");
    }
    let mut ways = vec![
        Way::new("simple (duipai-host)", json::canonical),
        // A string of its own, as the others make one.
        Way::new("fast", |text| canonical(text).map(|seen| seen.text.into_owned())),
    ];
    let reused = RefCell::new(Normalizer::new());
    ways.push(Way::new("  one Normalizer, borrowed text", move |text| {
        reused.borrow_mut().canonical(text).map(|seen| seen.text.len())
    }));
    for kernel in Kernel::available() {
        let normalizer = RefCell::new(Normalizer::with(kernel));
        ways.push(Way::new(format!("  the same, {}", kernel.name()), move |text| {
            normalizer.borrow_mut().canonical(text).map(|seen| seen.text.len())
        }));
    }
    let kernels = ways.len();
    ways.push(Way::new("serde_json Value", serde_json));
    ways.push(Way::new("sonic-rs Value", sonic));
    let mut rows = measure(&ways, corpora);
    let node = node::measure(corpora).map(|node| {
        for (corpus, text) in corpora.iter().zip(&node.texts) {
            assert_eq!(text, &canonical(&corpus.text).unwrap().text, "node on {}", corpus.name);
        }
        let row = Row { name: format!("V8, node {}", node.version), micros: node.micros };
        rows.push(row.clone());
        row
    });
    print(&format!("{title}, ratio to the simple one"), corpora, &rows);

    let fast = &rows[1];
    match node {
        Ok(node) => {
            let times = 1.0 / geometric_mean(&fast.ratios(&node));
            verdict("≥ 3× V8 string to string", times >= 3.0, &format!("{times:.1}×"));
        }
        Err(reason) => println!("not measured: V8 ({reason})"),
    }
    let sonic = &rows[kernels + 1];
    let times = 1.0 / geometric_mean(&fast.ratios(sonic));
    verdict("≥ sonic-rs Value → string", times >= 1.0, &format!("{times:.1}×"));
}

fn list(ratios: &[f64]) -> String {
    ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(" / ")
}
