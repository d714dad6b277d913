//! The spelling of a path pattern, segment by segment.

use super::GlobError;
use super::syntax::{Item, Part};

/// Spells a brace-free path pattern canonically: `.` and `..` folded, a folder as `folder/**`.
pub(super) fn spell(items: &[&Item]) -> Result<String, GlobError> {
    let rooted = items.first().is_some_and(|item| is_slash(item));
    let folder = items.last().is_some_and(|item| is_slash(item))
        || !items.iter().any(|item| is_wildcard(item));
    let mut segments = fold(items, rooted)?;
    if folder && segments.last().is_none_or(|last| !last.deep) {
        segments.push(Segment::DEEP);
    }
    let spelled: Vec<_> = segments.iter().map(Segment::spell).collect();
    Ok(format!(
        "{}{}",
        if rooted { "/" } else { "" },
        spelled.join("/")
    ))
}

/// One segment; a deep one stands for any number.
#[derive(Debug)]
struct Segment<'a> {
    items: &'a [&'a Item],
    deep: bool,
}

impl Segment<'_> {
    const DEEP: Self = Self {
        items: &[],
        deep: true,
    };

    fn spell(&self) -> String {
        if self.deep {
            "**".to_owned()
        } else {
            spell_segment(self.items)
        }
    }

    fn is(&self, name: &str) -> bool {
        let mut name = name.chars();
        self.items
            .iter()
            .all(|item| name.next().is_some_and(|c| item.part == Part::Char(c)))
            && name.next().is_none()
    }

    fn is_fixed(&self) -> bool {
        !self.deep && !self.items.iter().any(|item| is_wildcard(item))
    }
}

fn fold<'a>(items: &'a [&'a Item], rooted: bool) -> Result<Vec<Segment<'a>>, GlobError> {
    let mut segments: Vec<Segment<'a>> = Vec::new();
    for items in items.split(|item| is_slash(item)) {
        let deep =
            items.iter().all(|item| is_stars(item)) && items.iter().any(|item| is_deep(item));
        let segment = Segment { items, deep };
        let last = segments.last();
        if items.is_empty() || segment.is(".") || (deep && last.is_some_and(|last| last.deep)) {
            continue;
        }
        match last {
            Some(last) if segment.is("..") && !last.is("..") => {
                if !last.is_fixed() {
                    let at = items.first().map_or(0, |item| item.at);
                    return Err(GlobError::ParentOfWildcard { at });
                }
                segments.pop();
            }
            // Above the root there is nothing but the root.
            None if segment.is("..") && rooted => {}
            _ => segments.push(segment),
        }
    }
    Ok(segments)
}

fn spell_segment(items: &[&Item]) -> String {
    let mut text = String::new();
    for run in items.chunk_by(|a, b| is_stars(a) && is_stars(b)) {
        let deep = run.iter().any(|item| is_deep(item));
        match run.first() {
            Some(first) if is_stars(first) => text.push_str(if deep { "**" } else { "*" }),
            _ => text.push_str(&super::pattern::spell(run)),
        }
    }
    text
}

fn is_slash(item: &Item) -> bool {
    item.part == Part::Char('/')
}

fn is_stars(item: &Item) -> bool {
    matches!(item.part, Part::Stars { .. })
}

fn is_deep(item: &Item) -> bool {
    item.part == Part::Stars { deep: true }
}

fn is_wildcard(item: &Item) -> bool {
    !matches!(item.part, Part::Char(_))
}
