//! Cases are embedded into the library: a new one is a reason to build again.

fn main() {
    println!("cargo::rerun-if-changed=../../cases");
}
