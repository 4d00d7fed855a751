//! What is needed to dial in: options first, then the environment.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};

use crate::errors::{invalid, Error};
use crate::WELCOME_WAIT;

/// Where the service is and who the bot is.
#[derive(Clone)]
pub(crate) struct Settings {
    /// `host:port` or `unix:/path`.
    pub address: String,
    /// Shown to the service as bearer token; never logged.
    pub token: String,
    /// Makes `Decision::random` repeatable; `None`: different in every process.
    pub seed: Option<String>,
    endpoint: Endpoint,
}

/// What an author gave; the rest is taken from the environment.
#[derive(Clone, Default)]
pub(crate) struct Given {
    pub address: Option<String>,
    pub token: Option<String>,
    pub ca: Option<PathBuf>,
    pub seed: Option<String>,
}

impl Settings {
    /// Takes what is given, and the rest from the environment.
    pub fn resolve(given: &Given, environment: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let either = |given: &Option<String>, variable: &str| {
            given.clone().or_else(|| environment(variable)).filter(|text| !text.is_empty())
        };
        let address = either(&given.address, "CUTPURSE_ADDRESS")
            .ok_or_else(|| invalid("no address: call address(…) or set CUTPURSE_ADDRESS to host:port or unix:/path"))?;
        let token = either(&given.token, "CUTPURSE_TOKEN")
            .ok_or_else(|| invalid("no token: call token(…) or set CUTPURSE_TOKEN to the text that the organiser gave you"))?;
        if token.chars().any(|each| !('!'..='~').contains(&each)) {
            return Err(invalid("the token holds characters that no token has; was it copied with a line break?"));
        }
        let ca = given.ca.clone().or_else(|| environment("CUTPURSE_CA").filter(|text| !text.is_empty()).map(PathBuf::from));
        let endpoint = endpoint(&address, ca)?;
        Ok(Self { address, token, seed: either(&given.seed, "CUTPURSE_SEED"), endpoint })
    }

    /// A new connection; it ends when it is dropped.
    pub async fn connect(&self) -> Result<Channel, tonic::transport::Error> {
        self.endpoint.connect().await
    }
}

fn endpoint(address: &str, ca: Option<PathBuf>) -> Result<Endpoint, Error> {
    let unusable = || invalid(format!("{address:?} is no address: write host:port, [ipv6]:port or unix:/path"));
    if address.starts_with("unix:") {
        return Ok(tuned(Endpoint::from_shared(address.to_owned()).map_err(|_| unusable())?));
    }
    let (host, port) = address.rsplit_once(':').ok_or_else(unusable)?;
    let is_bracketed = host.starts_with('[') && host.ends_with(']');
    let is_plain = !host.is_empty() && !host.contains(['[', ']', ':', '/', '@']) && !host.contains(char::is_whitespace);
    if !(is_bracketed || is_plain) || !port.parse::<u16>().is_ok_and(|port| port > 0) {
        return Err(unusable());
    }
    let scheme = if ca.is_some() { "https" } else { "http" };
    let open = tuned(Endpoint::from_shared(format!("{scheme}://{address}")).map_err(|_| unusable())?);
    match ca {
        Some(path) => encrypted(open, &path),
        None if is_loopback(host.trim_matches(['[', ']'])) => Ok(open),
        // A token that is read on the way is a seat lost.
        None => Err(invalid(format!(
            "{address} is another machine, and without encryption anybody on the way could read the token: \
             set CUTPURSE_CA to the file with the service's certificate authority (PEM)"
        ))),
    }
}

fn tuned(endpoint: Endpoint) -> Endpoint {
    let sdk = concat!("cutpurse-sdk-rust/", env!("CARGO_PKG_VERSION"));
    endpoint
        .connect_timeout(WELCOME_WAIT)
        // A connection may die without a word: behind a router that was switched off a bot would wait for ever.
        .http2_keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10))
        .user_agent(sdk)
        .expect("a name and a version may stand in a header")
}

fn encrypted(endpoint: Endpoint, ca: &std::path::Path) -> Result<Endpoint, Error> {
    let name = ca.display();
    let pem =
        std::fs::read(ca).map_err(|error| invalid(format!("cannot read the certificate file {name} (CUTPURSE_CA): {error}")))?;
    if !String::from_utf8_lossy(&pem).contains("-----BEGIN CERTIFICATE-----") {
        return Err(invalid(format!("{name} (CUTPURSE_CA) holds no certificate in PEM form")));
    }
    let tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem));
    endpoint.tls_config(tls).map_err(|error| invalid(format!("{name} (CUTPURSE_CA) cannot be used: {error}")))
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(address: &str, token: &str, ca: &str) -> Result<Settings, Error> {
        let (address, token, ca) = (address.to_owned(), token.to_owned(), ca.to_owned());
        Settings::resolve(&Given::default(), move |variable| match variable {
            "CUTPURSE_ADDRESS" => Some(address.clone()),
            "CUTPURSE_TOKEN" => Some(token.clone()),
            "CUTPURSE_CA" => Some(ca.clone()),
            _ => None,
        })
    }

    fn complaint(address: &str, token: &str, ca: &str) -> String {
        resolve(address, token, ca).err().expect("it cannot be used").to_string()
    }

    #[tokio::test]
    async fn what_stays_on_this_machine_needs_no_encryption() {
        for address in ["127.0.0.1:7711", "localhost:7711", "[::1]:7711", "unix:/run/cutpurse.sock"] {
            assert_eq!(resolve(address, "token", "").expect("it can be used").address, address);
        }
    }

    #[test]
    fn another_machine_is_not_spoken_to_in_the_open() {
        for address in ["arena.example:7711", "192.0.2.1:7711", "127.0.0.1.example:7711"] {
            assert!(complaint(address, "token", "").contains("CUTPURSE_CA"), "{address}");
        }
    }

    #[test]
    fn what_is_no_address_is_said_to_be_none() {
        for address in
            ["arena", "localhost:", "localhost:0", "localhost:70000", ":7711", "::1:7711", "http://localhost:1", "a b:1"]
        {
            assert!(complaint(address, "token", "").contains("is no address"), "{address}");
        }
    }

    #[test]
    fn what_is_missing_is_named_with_its_variable() {
        assert!(complaint("", "token", "").contains("CUTPURSE_ADDRESS"));
        assert!(complaint("localhost:1", "", "").contains("CUTPURSE_TOKEN"));
        assert!(complaint("localhost:1", "token\n", "").contains("line break"));
    }

    #[test]
    fn a_certificate_that_cannot_be_used_is_named() {
        assert!(complaint("arena.example:1", "token", "no/such/file").contains("no/such/file"));
        assert!(complaint("arena.example:1", "token", "Cargo.toml").contains("no certificate in PEM form"));
    }

    #[test]
    fn what_is_given_goes_before_the_environment() {
        let given = Given { address: Some("localhost:1".into()), token: Some("mine".into()), ..Given::default() };
        let settings = Settings::resolve(&given, |_| Some("localhost:2".into()));
        // The environment's authority is no file, so that the settings as a whole cannot be used.
        assert!(settings.is_err());
        let settings = Settings::resolve(&given, |variable| (variable == "CUTPURSE_SEED").then(|| "s".into())).expect("fine");
        assert_eq!(
            (settings.address.as_str(), settings.token.as_str(), settings.seed.as_deref()),
            ("localhost:1", "mine", Some("s"))
        );
    }
}
