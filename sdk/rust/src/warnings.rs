//! Warnings and errors on standard error, for a program that has no subscriber of its own.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Says what its author must hear of: refused answers, errors of the bot's function, a service that is out of reach.
struct Warnings;

/// From now on, warnings are printed, unless the program listens to them already.
pub(crate) fn print_unless_heard() {
    // The only error is that there is a subscriber, and then that one hears them.
    let _ = tracing::subscriber::set_global_default(Warnings);
}

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= Level::WARN && metadata.target().starts_with("cutpurse_sdk")
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        eprintln!("cutpurse: {line}");
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// What an event says, and after it what it says about it.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let written = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, ", {name}: {value:?}"),
        };
        debug_assert!(written.is_ok(), "a text takes everything");
    }
}

impl fmt::Display for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.message, self.fields)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Keeps the lines that would be printed.
    struct Kept(&'static Mutex<Vec<String>>);

    impl Subscriber for Kept {
        fn enabled(&self, metadata: &Metadata<'_>) -> bool {
            Warnings.enabled(metadata)
        }

        fn event(&self, event: &Event<'_>) {
            let mut line = Line::default();
            event.record(&mut line);
            self.0.lock().expect("nobody panics").push(line.to_string());
        }

        fn new_span(&self, attributes: &Attributes<'_>) -> Id {
            Warnings.new_span(attributes)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}
        fn record_follows_from(&self, _: &Id, _: &Id) {}
        fn enter(&self, _: &Id) {}
        fn exit(&self, _: &Id) {}
    }

    #[test]
    fn warnings_are_lines_with_what_they_are_about_and_lesser_things_are_not_said() {
        static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

        tracing::subscriber::with_default(Kept(&LINES), || {
            tracing::warn!(text = "UNAVAILABLE", attempt = 2, "no stream");
            tracing::error!(error = %"out of cards", "answering anyway");
            tracing::info!("going to stop");
            tracing::warn!(target: "somebody_else", "not ours");
        });

        let lines = LINES.lock().expect("nobody panics");
        assert_eq!(*lines, ["no stream, text: UNAVAILABLE, attempt: 2", "answering anyway, error: out of cards"]);
    }
}
