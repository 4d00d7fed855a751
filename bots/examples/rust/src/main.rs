//! A first bot: any legal action, by lot.

use cutpurse_sdk::rand::seq::IndexedRandom;

fn main() -> std::process::ExitCode {
    cutpurse_sdk::main(|mut decision| decision.legal.choose(&mut decision.random).cloned().ok_or("nothing is legal"))
}
