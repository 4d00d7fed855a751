//! What a bot says.

use crate::decision::Decision;
use crate::errors::{BoxError, Error};
use crate::protocol;

/// An answer to a decision. Whether notation or an action is legal is for the service to say: it knows the reason, too.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// The canonical text of an action, usually one of [`Decision::legal`].
    Notation(String),
    /// A position in [`Decision::legal`], from 0.
    Index(usize),
    /// A typed message.
    Action(protocol::Action),
}

impl Answer {
    pub(crate) fn into_message(self, decision: &Decision) -> Result<protocol::choice::Answer, Error> {
        match self {
            Self::Notation(text) => Ok(protocol::choice::Answer::Notation(text)),
            Self::Action(action) => Ok(protocol::choice::Answer::Action(action)),
            Self::Index(index) if index < decision.legal.len() => {
                // It is below the length of a list that came in one frame.
                Ok(protocol::choice::Answer::Index(index as u32))
            }
            Self::Index(index) => Err(Error::AnswerInvalid { text: format!("index {index}"), decision: decision.to_string() }),
        }
    }
}

/// What a bot's function may return: notation, an index, a typed action, or a [`Result`] with one of these.
pub trait IntoAnswer {
    /// The answer, or why there is none.
    fn into_answer(self) -> Result<Answer, BoxError>;
}

impl IntoAnswer for Answer {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(self)
    }
}

impl IntoAnswer for String {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(Answer::Notation(self))
    }
}

impl IntoAnswer for &str {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(Answer::Notation(self.to_owned()))
    }
}

impl IntoAnswer for usize {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(Answer::Index(self))
    }
}

impl IntoAnswer for protocol::Action {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(Answer::Action(self))
    }
}

impl IntoAnswer for protocol::action::Game {
    fn into_answer(self) -> Result<Answer, BoxError> {
        Ok(Answer::Action(protocol::Action { game: Some(self) }))
    }
}

impl<T: IntoAnswer, E: Into<BoxError>> IntoAnswer for Result<T, E> {
    fn into_answer(self) -> Result<Answer, BoxError> {
        self.map_err(Into::into)?.into_answer()
    }
}
