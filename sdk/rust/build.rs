//! Generates the protocol's messages and clients from its proto files, without a `protoc` on the machine.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("proto/cutpurse/v1");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        files.push(entry?.path());
    }
    // A folder has no order of its own, and generated code should.
    files.sort();
    let descriptors = protox::compile(&files, ["proto"])?;
    tonic_prost_build::configure().build_server(false).compile_fds(descriptors)?;
    Ok(())
}
