//! Where a call would happen, as a question may say.

use std::collections::BTreeMap;
use std::env;

use knotrust_core::json::Value;
use knotrust_core::surroundings::{Entry, Links, Os, Surroundings};
use knotrust_govern::paths::FileSystem;

/// Where a call would happen.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    cwd: String,
    home: String,
    os: Os,
    /// Links and where they lead; `None` asks the file system.
    links: Option<Named>,
}

/// The links that a question names: there are no others.
#[derive(Clone, Debug)]
struct Named(BTreeMap<String, String>);

impl Links for Named {
    fn look(&self, folder: &str, name: &str) -> Entry {
        let target = self.0.get(&format!("{folder}/{name}"));
        target.map_or(Entry::Plain, |target| Entry::Link(target.clone()))
    }
}

impl Context {
    /// Here.
    pub(crate) fn here() -> Self {
        let text = |path: Option<std::path::PathBuf>| {
            path.map(|path| path.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        Self {
            cwd: text(env::current_dir().ok()),
            home: text(env::home_dir()),
            os: Os::HERE,
            links: None,
        }
    }

    /// Here, but for what a question says: `{cwd?, home?, os?, symlinks?}`. Links are relative to the working folder,
    /// their targets absolute or relative to the link's folder. Whoever names links has named all there are.
    pub(crate) fn with(&self, value: &Value<'_>) -> Result<Self, String> {
        let object = value.as_object().ok_or("`context` must be an object")?;
        let mut context = self.clone();
        let mut links = None;
        for (name, value) in object.iter() {
            let text = || {
                value
                    .as_str()
                    .ok_or_else(|| format!("`context.{name:?}` must be a string"))
            };
            match name.as_str() {
                Some("cwd") => text()?.clone_into(&mut context.cwd),
                Some("home") => text()?.clone_into(&mut context.home),
                Some("os") => context.os = read_os(text()?)?,
                Some("symlinks") => links = Some(value),
                _ => return Err(format!("`context` has no member {name:?}")),
            }
        }
        // A place that is not here has no links but those that are named.
        context.links = match links {
            Some(links) => Some(read_links(links, &context.cwd)?),
            None if object.get("cwd").is_some() => Some(Named(BTreeMap::new())),
            None => None,
        };
        Ok(context)
    }

    /// Hands over the surroundings.
    pub(crate) fn within<T>(&self, then: impl FnOnce(&Surroundings<'_>) -> T) -> T {
        let links: &dyn Links = match &self.links {
            Some(links) => links,
            None => &FileSystem,
        };
        let naming = self.os.naming();
        then(&Surroundings {
            cwd: &self.cwd,
            home: &self.home,
            os: self.os,
            naming,
            links,
        })
    }
}

fn read_os(name: &str) -> Result<Os, String> {
    match name {
        "linux" => Ok(Os::Linux),
        "macos" => Ok(Os::Macos),
        "windows" => Ok(Os::Windows),
        _ => Err("`context.os` must be linux, macos or windows".to_owned()),
    }
}

fn read_links(value: &Value<'_>, cwd: &str) -> Result<Named, String> {
    let object = value
        .as_object()
        .ok_or("`context.symlinks` must be an object")?;
    let pairs = object.iter().map(|(link, target)| {
        let (link, target) = link
            .as_str()
            .zip(target.as_str())
            .ok_or("`context.symlinks` maps paths to paths")?;
        let link = if link.starts_with('/') {
            link.to_owned()
        } else {
            format!("{}/{link}", cwd.trim_end_matches('/'))
        };
        Ok((link, target.to_owned()))
    });
    pairs.collect::<Result<_, String>>().map(Named)
}
