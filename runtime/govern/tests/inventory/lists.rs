//! Pages, names that come and go, and names that come twice.

use knotrust_govern::failure::{Cause, StoreError};
use knotrust_govern::files;
use knotrust_govern::inventory::{Inventory, Page, Which};

use super::scratch::{READ_NOTE, Scratch, said};

const FIRST: Page = Page {
    first: true,
    last: false,
};
const MIDDLE: Page = Page {
    first: false,
    last: false,
};
const LAST: Page = Page {
    first: false,
    last: true,
};

fn tool(name: &str) -> String {
    READ_NOTE.replace("read_note", name)
}

#[test]
fn a_tool_is_unknown_until_its_page_was_seen() {
    let mut scratch = Scratch::new();
    scratch.page(READ_NOTE, FIRST);
    assert_eq!(scratch.standing("read_note"), "known");
    assert_eq!(scratch.standing("wipe2"), "unknown");
    scratch.page(&tool("wipe2"), LAST);
    assert_eq!(scratch.standing("wipe2"), "known");
    assert_eq!(scratch.told(), "");
}

#[test]
fn a_tool_is_gone_only_after_the_last_page() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    scratch.page("[]", FIRST);
    assert_eq!(scratch.told(), "");
    scratch.page("[]", LAST);
    assert_eq!(scratch.told(), "tool_removed fake.read_note");
    scratch.list("[]");
    assert_eq!(scratch.told(), "");
    // It may come back as it was, and not as something else.
    scratch.list(READ_NOTE);
    assert_eq!(scratch.told(), "tool_added fake.read_note");
    assert_eq!(scratch.standing("read_note"), "known");
    scratch.list("[]");
    scratch.list(&READ_NOTE.replace("Reads", "Sends"));
    assert_eq!(
        scratch.told(),
        "tool_removed fake.read_note, tool_definition_changed fake.read_note"
    );
    assert_eq!(scratch.standing("read_note"), "changed");
}

#[test]
fn a_list_that_was_not_seen_whole_removes_nothing() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    scratch.inventory = Inventory::open(&scratch.home, "fake").unwrap();
    scratch.page("[]", LAST);
    assert_eq!(scratch.told(), "");
}

#[test]
fn a_new_tool_is_told() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    let both = format!(
        "[{},{}]",
        READ_NOTE.trim_matches(['[', ']']),
        tool("b").trim_matches(['[', ']'])
    );
    scratch.list(&both);
    scratch.list(&both);
    assert_eq!(scratch.told(), "tool_added fake.b");
    assert_eq!(scratch.standing("b"), "known");
}

#[test]
fn a_cursor_that_never_moves_costs_nothing() {
    let mut scratch = Scratch::new();
    scratch.page(READ_NOTE, FIRST);
    let version = files::version(&scratch.home.at("servers/fake/inventory.json")).unwrap();
    for _ in 0..2000 {
        scratch.page(READ_NOTE, MIDDLE);
    }
    assert_eq!(scratch.told(), "");
    assert_eq!(
        version,
        files::version(&scratch.home.at("servers/fake/inventory.json")).unwrap()
    );
}

#[test]
fn a_list_without_end_is_remembered_in_part() {
    let mut scratch = Scratch::new();
    for number in 0..10 {
        let names = (0..1000).map(|index| format!(r#"{{"name":"t{number}-{index}"}}"#));
        let page = format!("[{}]", names.collect::<Vec<_>>().join(","));
        scratch.page(
            &page,
            Page {
                first: number == 0,
                last: false,
            },
        );
    }
    scratch.page("[]", LAST);
    assert_eq!(scratch.told(), "");
    assert_eq!(scratch.standing("t0-0"), "known");
    assert_eq!(scratch.standing("t9-999"), "unknown");
}

#[test]
fn a_name_listed_twice_is_told_and_not_trusted() {
    let safe = READ_NOTE.replacen('{', r#"{"annotations":{"readOnlyHint":true},"#, 1);
    let wild = READ_NOTE.replacen('{', r#"{"annotations":{"destructiveHint":true},"#, 1);
    let mut scratch = Scratch::new();
    for _ in 0..2 {
        scratch.page(&safe, FIRST);
        scratch.page(&wild, LAST);
    }
    assert_eq!(scratch.told(), "tool_listed_twice fake.read_note");
    assert_eq!(scratch.standing("read_note"), "listed twice");
    assert_eq!(scratch.accept(Which::All), 1);
    assert_eq!(scratch.standing("read_note"), "known, destructive");
    scratch.page(&safe, FIRST);
    scratch.page(&wild, LAST);
    assert_eq!(scratch.told(), "");
    assert_eq!(scratch.standing("read_note"), "known, destructive");
}

#[test]
fn the_same_definition_twice_is_one() {
    let mut scratch = Scratch::new();
    scratch.page(READ_NOTE, FIRST);
    scratch.page(READ_NOTE, LAST);
    assert_eq!(scratch.told(), "");
    assert_eq!(scratch.standing("read_note"), "known");
}

#[test]
fn what_has_no_name_is_no_tool() {
    let mut scratch = Scratch::new();
    scratch.list(r#"[1,null,{},{"name":1},{"name":""},{"name":"__proto__"},[]]"#);
    assert_eq!(scratch.standing("__proto__"), "known");
    assert_eq!(scratch.standing("constructor"), "unknown");
    assert_eq!(scratch.inventory.list().unwrap().len(), 2);
}

#[test]
fn sessions_of_one_server_share_what_they_have_seen() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    let mut other = Inventory::open(&scratch.home, "fake").unwrap();
    scratch.list(&READ_NOTE.replace("Reads", "Sends"));
    assert_eq!(said(other.standing("read_note").unwrap()), "changed");
    other.accept(Which::All, &mut |_| Ok(())).unwrap();
    assert_eq!(scratch.standing("read_note"), "known");
}

#[test]
fn many_at_once_lose_nothing() {
    let scratch = Scratch::new();
    let home = &scratch.home;
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || {
                let mut inventory = Inventory::open(home, "fake").unwrap();
                let page = tool(&format!("t{number}"));
                let value = knotrust_core::json::parse(page.as_bytes()).unwrap();
                inventory
                    .observe_page(value.as_array().unwrap(), FIRST, &mut |_| Ok(()))
                    .unwrap();
            });
        }
    });
    assert_eq!(scratch.inventory.list().unwrap().len(), 8);
}

#[test]
fn a_change_that_cannot_be_recorded_is_not_remembered() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    let changed = READ_NOTE.replace("Reads", "Sends");
    let value = knotrust_core::json::parse(changed.as_bytes()).unwrap();
    let whole = Page {
        first: true,
        last: true,
    };
    let mut refuse = |_: &_| {
        Err(StoreError::new(
            "append to",
            scratch.home.path(),
            Cause::Content,
        ))
    };
    scratch
        .inventory
        .observe_page(value.as_array().unwrap(), whole, &mut refuse)
        .unwrap_err();
    scratch.list(&changed);
    assert_eq!(scratch.told(), "tool_definition_changed fake.read_note");
}

#[test]
fn a_file_that_is_no_inventory_is_an_error() {
    let mut scratch = Scratch::new();
    scratch.list(READ_NOTE);
    for text in ["", "{}", "[]", r#"{"version":"2"}"#] {
        files::write(
            &scratch.home.at("servers/fake/inventory.json"),
            text.as_bytes(),
        )
        .unwrap();
        scratch.inventory.standing("read_note").unwrap_err();
    }
}

#[test]
fn servers_are_told_apart_and_listed() {
    let scratch = Scratch::new();
    for server in ["notes", "../notes", "NOTES"] {
        let mut inventory = Inventory::open(&scratch.home, server).unwrap();
        inventory
            .observe_instructions(Some("x"), &mut |_| Ok(()))
            .unwrap();
    }
    assert_eq!(
        Inventory::servers(&scratch.home).unwrap(),
        ["../notes", "NOTES", "notes"]
    );
}
