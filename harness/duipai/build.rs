//! Cases and the Workers are embedded into the library: a new one is a reason to
//! build again.

fn main() {
    println!("cargo::rerun-if-changed=../../cases");
    println!("cargo::rerun-if-changed=../worker/src");
    println!("cargo::rerun-if-changed=../worker/app");
    println!("cargo::rerun-if-changed=../worker/miniflare");
}
