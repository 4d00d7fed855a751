//! Write bots for Cutpurse, the bot arena for card games of thieves.
//!
//! ```no_run
//! use cutpurse_sdk::rand::seq::IndexedRandom;
//!
//! fn main() -> std::process::ExitCode {
//!     cutpurse_sdk::main(|mut decision| decision.legal.choose(&mut decision.random).cloned().ok_or("nothing is legal"))
//! }
//! ```
//!
//! Where the service is and who the bot is comes from the environment (`CUTPURSE_ADDRESS`, `CUTPURSE_TOKEN`) or from [`Options`].

mod answer;
mod backoff;
mod client;
mod decision;
mod errors;
mod options;
mod play;
mod session;
mod settings;
mod stream;
mod warnings;

use std::process::ExitCode;
use std::time::Duration;

pub use rand;

pub use crate::answer::{Answer, IntoAnswer};
pub use crate::backoff::Backoff;
pub use crate::client::{Client, Ending};
pub use crate::decision::Decision;
pub use crate::errors::{reason_name, BoxError, Error};
pub use crate::options::{Options, Reaction};
pub use crate::play::Summary;
pub use crate::session::{Event, Refusal};

/// The protocol's messages and clients, made from its proto files, which are their manual.
#[allow(missing_docs, clippy::all, rustdoc::all)]
pub mod protocol {
    tonic::include_proto!("cutpurse.v1");
}

/// The version of the protocol that this SDK speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// How long the service may take to answer Hello.
const WELCOME_WAIT: Duration = Duration::from_secs(10);

/// The whole of a bot's main function; see [`Options::main`].
pub fn main<A, F>(choose: F) -> ExitCode
where
    A: IntoAnswer + Send + 'static,
    F: Fn(Decision) -> A + Send + Sync + 'static,
{
    Options::new().main(choose)
}
