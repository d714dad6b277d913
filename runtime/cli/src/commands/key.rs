//! `knotrust key`: the key that signs grants here, and the keys that are trusted.

use std::fs;

use knotrust_core::json::{self, Object, Text, Value};
use knotrust_govern::keys::{Kept, Keys};

use super::Done;
use super::confirm::confirm;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::consent::KeyVerb;
use crate::{exit, output};

/// Shows and changes keys.
pub(super) fn run(verb: KeyVerb) -> Done {
    let keys = Keys::of(&home()?);
    match verb {
        KeyVerb::Show { format } => return show(&keys, format),
        KeyVerb::Rotate { yes } => {
            if !confirm(
                "Make a new key? All grants that the old one signed are void.",
                yes,
            )? {
                return Ok(exit::FAILED);
            }
            let rotation = keys.rotate()?;
            output::line(&format!(
                "grants are signed with {} from now on",
                rotation.new
            ))?;
        }
        KeyVerb::Import { file, yes } => {
            if !confirm(
                "Sign with this key? All grants that another key of this home signed are void.",
                yes,
            )? {
                return Ok(exit::FAILED);
            }
            let rotation = keys.import(&fs::read(&file)?)?;
            output::line(&format!(
                "grants are signed with {} from now on",
                rotation.new
            ))?;
        }
        KeyVerb::Trust { file } => {
            let kid = keys.trust(&fs::read(&file)?)?;
            output::line(&format!("trusted: {kid}"))?;
        }
        KeyVerb::Distrust { kid } => {
            keys.distrust(&kid)?;
            output::line(&format!("no longer trusted: {}", output::inert(&kid)))?;
        }
    }
    Ok(exit::OK)
}

fn show(keys: &Keys, format: Format) -> Done {
    let own = keys.id()?;
    let kept = keys.kept()?;
    let (keyring, unusable) = keys.keyring()?;
    for file in &unusable {
        output::note(&format!("{} is not used: {}", file.file, file.why));
    }
    let trusted: Vec<&str> = keyring.ids().collect();
    match format {
        Format::Text => {
            output::line(&format!("signs    {own}"))?;
            output::line(&format!("kept     {}", in_words(&kept)))?;
            for kid in trusted {
                output::line(&format!("trusted  {kid}"))?;
            }
        }
        Format::Json => {
            let owned = |text: &str| Value::String(Text::from(text.to_owned()));
            let mut object = Object::new();
            object.insert("signs", owned(&own));
            object.insert(
                "kept",
                Value::string(match kept {
                    Some(Kept::Keychain) => "keychain",
                    Some(Kept::File(_)) | None => "file",
                }),
            );
            object.insert(
                "trusted",
                Value::Array(trusted.into_iter().map(owned).collect()),
            );
            output::line(&json::write(&Value::Object(object)))?;
        }
    }
    Ok(exit::OK)
}

fn in_words(kept: &Option<Kept>) -> String {
    match kept {
        Some(Kept::Keychain) => "in the keychain of the desktop".to_owned(),
        Some(Kept::File(path)) => output::inert(&path.display().to_string()),
        None => "nowhere".to_owned(),
    }
}
