//! How a process keeps up with what others, and hands, change.

use std::collections::BTreeMap;

use super::changes::{ChangeKind, Moment, Position};
use super::index::{Index, Key};
use super::table::Table;
use super::{GrantSet, SUFFIX, Seen, snapshot};
use crate::failure::StoreError;
use crate::files;

impl GrantSet<'_> {
    /// What the home is like now, told by three looks.
    pub(super) fn look(&self) -> Result<Seen, StoreError> {
        Ok(Seen {
            end: self.place.changes.end()?,
            folder: Moment::of(&self.place.grants)?,
            keys: Moment::of(self.keys.folder())?,
        })
    }

    /// Takes over what has changed.
    pub(super) fn catch_up(&mut self, now: Seen) -> Result<(), StoreError> {
        if self.seen.is_none_or(|seen| seen.keys != now.keys) {
            self.read_keys()?;
        }
        let followed = match self.seen {
            Some(seen) => self.follow(seen)?,
            None => match snapshot::read(&self.place.index) {
                Some((table, end, folder)) => {
                    self.index = Index::of(table);
                    self.follow(Seen {
                        end,
                        folder,
                        keys: now.keys,
                    })?
                }
                None => None,
            },
        };
        let (end, folder) = match followed {
            Some(found) if self.index.changes() < MOST_CHANGES => found,
            Some(_) | None => self.rescan()?,
        };
        let keys = now.keys;
        self.seen = Some(Seen { end, folder, keys });
        Ok(())
    }

    fn read_keys(&mut self) -> Result<(), StoreError> {
        let (keyring, unusable) = self.keys.keyring()?;
        self.keyring = keyring;
        self.loaded.clear();
        for key in unusable {
            self.warn_once(
                &key.file,
                format!("the key file `{}` is not used: {}", key.file, key.why),
            );
        }
        Ok(())
    }

    /// Follows the written changes; `None` if they do not explain what the folder is like.
    fn follow(&mut self, seen: Seen) -> Result<Option<(Position, Moment)>, StoreError> {
        if let Some(found) = self.follow_once(seen)? {
            return Ok(Some(found));
        }
        // A writer may be between its change and its line. Whoever has the lock sees both or neither.
        let Ok(lock) = self.place.lock() else {
            return Ok(None);
        };
        let found = self.follow_once(seen)?;
        drop(lock);
        Ok(found)
    }

    fn follow_once(&mut self, seen: Seen) -> Result<Option<(Position, Moment)>, StoreError> {
        let Some((changes, end)) = self.place.changes.since(seen.end)? else {
            return Ok(None);
        };
        let expected = changes.last().map_or(seen.folder, |change| change.folder);
        if Moment::of(&self.place.grants)? != expected {
            return Ok(None);
        }
        for change in &changes {
            match change.kind {
                ChangeKind::Added => self.index.insert(change.key, &change.name),
                ChangeKind::Removed => self.index.remove(change.key, &change.name),
            }
        }
        Ok(Some((end, expected)))
    }

    /// Looks through the folder, and reads what is new in it.
    fn rescan(&mut self) -> Result<(Position, Moment), StoreError> {
        let lock = self.place.lock();
        let mut tries = 3;
        loop {
            let end = self.place.changes.end()?;
            let folder = Moment::of(&self.place.grants)?;
            let entries = self.entries()?;
            tries -= 1;
            if tries > 0 && Moment::of(&self.place.grants)? != folder {
                continue;
            }
            let table = Table::of(entries);
            if lock.is_ok() {
                // Without one the next process looks through the folder as well.
                drop(snapshot::write(&self.place.index, &table, end, folder));
            }
            self.index = Index::of(table);
            self.loaded.clear();
            return Ok((end, folder));
        }
    }

    fn entries(&mut self) -> Result<Vec<(Key, Box<str>)>, StoreError> {
        let names = files::names(&self.place.grants)?;
        let known: BTreeMap<&str, Key> = self
            .index
            .entries()
            .map(|(key, name)| (name, key))
            .collect();
        let (mut entries, mut wrong) = (Vec::new(), Vec::new());
        for name in names.iter().filter_map(|file| file.strip_suffix(SUFFIX)) {
            let key = match known.get(name) {
                Some(key) => Ok(*key),
                None => self.place.key(name),
            };
            match key {
                Ok(key) => entries.push((key, name.into())),
                Err(why) => wrong.push((name.to_owned(), why)),
            }
        }
        for (name, why) in wrong {
            self.warn(&name, &why);
        }
        Ok(entries)
    }
}

/// Changes that are followed one by one, before the folder is looked through once and written down anew.
const MOST_CHANGES: usize = 10_000;
