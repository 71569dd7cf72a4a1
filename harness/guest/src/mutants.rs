//! The five functions of the wrong implementation that was chosen; of the
//! reference where none was.

use alloc::string::String;
use core::sync::atomic::{AtomicUsize, Ordering};

use duipai_mutants::{Mutant, parts::Parts};
use duipai_queue::Failure;
use duipai_spec::{abort::Abort, package::Package as _};

use crate::{
    Package,
    bindings::exports::yuyan::queue::choice,
    host::Host,
};

/// Index of the chosen mutant; beyond the last where none is.
static CHOSEN: AtomicUsize = AtomicUsize::new(usize::MAX);

impl choice::Guest for Package {
    fn choose(mutant: String) -> bool {
        let index = duipai_mutants::all().position(|known| known.name == mutant);
        CHOSEN.store(index.unwrap_or(usize::MAX), Ordering::Relaxed);
        index.is_some()
    }
}

type Done<T> = Result<T, Failure<Abort>>;

fn parts() -> Parts {
    let mutant = duipai_mutants::all().nth(CHOSEN.load(Ordering::Relaxed));
    mutant.map_or(Parts::REFERENCE, Mutant::parts)
}

pub(crate) fn send(binding: &str, body: &str, delay: i64) -> Done<()> {
    parts().send(&mut Host::new(), binding, body, delay)
}

pub(crate) fn send_batch(binding: &str, items: &str) -> Done<()> {
    parts().send_batch(&mut Host::new(), binding, items)
}

pub(crate) fn read_batch() -> Done<String> {
    parts().read_batch(&mut Host::new())
}

pub(crate) fn ack(index: i64) -> Done<()> {
    parts().ack(&mut Host::new(), index)
}

pub(crate) fn retry(index: i64, delay: i64) -> Done<()> {
    parts().retry(&mut Host::new(), index, delay)
}
