//! Which request a record belongs to: W3C Trace Context.

/// The parts of a `traceparent` that are kept.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Traceparent {
    /// 32 hex digits, not all zero, in lower case.
    pub trace_id: String,
    /// 16 hex digits, not all zero, in lower case.
    pub parent_id: String,
}

impl Traceparent {
    /// Reads a header's value, blanks around it and letters of any case allowed. Version `ff` and zero ids are refused.
    #[must_use]
    pub fn read(value: &str) -> Option<Self> {
        let value = value.trim().to_ascii_lowercase();
        let mut fields = value.split('-');
        let mut field = |length: usize| {
            let field = fields.next().filter(|field| field.len() == length)?;
            field
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit())
                .then_some(field)
        };
        let (version, trace_id, parent_id, _flags) = (field(2)?, field(32)?, field(16)?, field(2)?);
        let is_zero = |id: &str| id.bytes().all(|byte| byte == b'0');
        if fields.next().is_some() || version == "ff" || is_zero(trace_id) || is_zero(parent_id) {
            return None;
        }
        Some(Self {
            trace_id: trace_id.to_owned(),
            parent_id: parent_id.to_owned(),
        })
    }
}

/// The id by which records are looked up: the trace id of a `traceparent`, any other text as it is.
#[must_use]
pub fn lookup_key(value: &str) -> String {
    Traceparent::read(value).map_or_else(|| value.to_owned(), |parent| parent.trace_id)
}
