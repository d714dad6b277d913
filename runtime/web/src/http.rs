//! As much of HTTP/1.1 as one page needs: one request a connection, bounded in size and time.

mod form;
mod request;
mod response;

pub(crate) use form::Form;
pub(crate) use request::{Fault, Head, Wire};
pub(crate) use response::{Response, Status};
