use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use knotrust_core::grant::Signer;

use super::*;
use crate::keychain::testing::{Fake, Mood};

const PRIMARY: &str =
    r#"{"kty":"OKP","crv":"Ed25519","x":"IVL40Zt5HSRFMkLhXy6rbLfP-ntqXtMAl5YOBpiB2xI"}"#;
const NEUTRAL: &str =
    r#"{"kty":"OKP","crv":"Ed25519","x":"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;

struct Scratch {
    _folder: tempfile::TempDir,
    home: Home,
    keys: Keys,
}

fn scratch() -> Scratch {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
    Scratch {
        keys: Keys::of(&home),
        home,
        _folder: folder,
    }
}

fn trusted(keys: &Keys) -> Vec<String> {
    let (keyring, unusable) = keys.keyring().unwrap();
    assert_eq!(unusable, []);
    keyring.ids().map(str::to_owned).collect()
}

#[test]
fn the_identity_is_made_once_and_kept_private() {
    let scratch = scratch();
    let made = scratch.keys.identity().unwrap();
    assert_eq!(scratch.keys.identity().unwrap(), made);
    assert_eq!(trusted(&scratch.keys), [kid_of(&made)]);
    let path = scratch.home.at("identity.key");
    let mode = fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text, format!("{}\n", hex(made.as_bytes())));
}

#[test]
fn an_identity_that_others_may_read_is_refused_with_the_way_out() {
    let scratch = scratch();
    scratch.keys.identity().unwrap();
    let path = scratch.home.at("identity.key");
    for mode in [0o640, 0o604, 0o622] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let KeyError::Store(error) = scratch.keys.identity().unwrap_err() else {
            panic!("a store error");
        };
        let help = error.help().unwrap();
        assert_eq!(help, format!("run `chmod 600 '{}'`", path.display()));
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    scratch.keys.identity().unwrap();
}

#[test]
fn an_identity_that_is_no_key_is_never_replaced() {
    let scratch = scratch();
    let path = scratch.home.at("identity.key");
    for text in [
        "",
        "42",
        &"x".repeat(64),
        &"4".repeat(63),
        &format!("{}\n\n", "4".repeat(64)),
    ] {
        files::write(&path, text.as_bytes()).unwrap();
        assert!(scratch.keys.identity().is_err(), "{text:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), *text);
    }
    files::write(&path, "42".repeat(32).as_bytes()).unwrap();
    assert_eq!(
        kid_of(&scratch.keys.identity().unwrap()),
        "MJfi3uLLSjS1OEDN"
    );
}

#[test]
fn a_rotated_key_is_over() {
    let scratch = scratch();
    let old = kid_of(&scratch.keys.identity().unwrap());
    let rotation = scratch.keys.rotate().unwrap();
    assert_eq!(rotation.old.as_ref(), Some(&old));
    assert_eq!(kid_of(&scratch.keys.identity().unwrap()), rotation.new);
    assert_eq!(trusted(&scratch.keys), [rotation.new.as_str()]);
    let late = format!("keys/{old}.jwk.json");
    fs::copy(
        scratch
            .home
            .at("keys/retired")
            .join(format!("{old}.jwk.json")),
        scratch.home.at(&late),
    )
    .unwrap();
    let (keyring, unusable) = scratch.keys.keyring().unwrap();
    assert_eq!(keyring.ids().collect::<Vec<_>>(), [rotation.new.as_str()]);
    assert_eq!(unusable[0].why, "the key was rotated away");
    let jwk = fs::read(
        scratch
            .home
            .at("keys/retired")
            .join(format!("{old}.jwk.json")),
    )
    .unwrap();
    assert!(matches!(scratch.keys.trust(&jwk), Err(KeyError::Retired(kid)) if kid == old));
}

#[test]
fn a_rotation_cut_off_is_finished() {
    let scratch = scratch();
    let old = scratch.keys.identity().unwrap();
    let public = old.verifying_key().to_bytes();
    scratch
        .keys
        .retire_key(&kid_of(&old), Some(public))
        .unwrap();
    let new = scratch.keys.identity().unwrap();
    assert_ne!(new, old);
    assert_eq!(trusted(&scratch.keys), [kid_of(&new)]);
}

#[test]
fn keys_of_others_are_trusted_and_distrusted() {
    let scratch = scratch();
    let (keys, home) = (&scratch.keys, &scratch.home);
    assert_eq!(keys.trust(PRIMARY.as_bytes()).unwrap(), "MJfi3uLLSjS1OEDN");
    assert_eq!(trusted(keys), ["MJfi3uLLSjS1OEDN"]);
    keys.distrust("MJfi3uLLSjS1OEDN").unwrap();
    assert!(trusted(keys).is_empty());
    assert!(matches!(
        keys.trust(PRIMARY.as_bytes()),
        Err(KeyError::Retired(_))
    ));
    assert!(matches!(
        keys.distrust("../identity"),
        Err(KeyError::Unknown(_))
    ));
    let private = PRIMARY.replace('}', r#","d":"QkJC"}"#);
    assert!(matches!(
        keys.trust(private.as_bytes()),
        Err(KeyError::Private)
    ));
    assert!(matches!(keys.trust(b"{}"), Err(KeyError::NotAKey)));
    assert!(matches!(
        keys.trust(NEUTRAL.as_bytes()),
        Err(KeyError::Weak(_))
    ));
    assert_eq!(files::names(&home.at("keys")).unwrap(), ["retired"]);
}

#[test]
fn files_that_are_no_keys_make_nobody_trusted() {
    let scratch = scratch();
    let (keys, home) = (&scratch.keys, &scratch.home);
    let folder = home.folder("keys").unwrap();
    fs::write(folder.join("AdD6vSUfy74rk7S5.jwk.json"), NEUTRAL).unwrap();
    fs::write(folder.join("iKIVxfK8MBdwm8ee.jwk.json"), PRIMARY).unwrap();
    fs::write(folder.join("broken.jwk.json"), "{").unwrap();
    fs::write(folder.join("README"), "").unwrap();
    fs::write(folder.join("MJfi3uLLSjS1OEDN.jwk.json"), PRIMARY).unwrap();
    let writable = folder.join("loose.jwk.json");
    fs::write(&writable, PRIMARY).unwrap();
    fs::set_permissions(&writable, fs::Permissions::from_mode(0o666)).unwrap();
    let (keyring, unusable) = keys.keyring().unwrap();
    assert_eq!(keyring.ids().collect::<Vec<_>>(), ["MJfi3uLLSjS1OEDN"]);
    assert!(matches!(keyring.find("iKIVxfK8MBdwm8ee"), Signer::Impostor));
    assert!(matches!(keyring.find("AdD6vSUfy74rk7S5"), Signer::Impostor));
    let why: Vec<_> = unusable
        .iter()
        .map(|key| (key.file.as_str(), key.why))
        .collect();
    assert_eq!(
        why,
        [
            ("AdD6vSUfy74rk7S5.jwk.json", "the key in it is weak"),
            ("broken.jwk.json", "it is not a public key in JWK form"),
            (
                "iKIVxfK8MBdwm8ee.jwk.json",
                "its name is not the id of the key in it"
            ),
            (
                "loose.jwk.json",
                "it cannot be read, or others may write it"
            ),
        ]
    );
}

#[test]
fn an_identity_from_elsewhere_signs_from_then_on() {
    let (here, elsewhere) = (scratch(), scratch());
    let old = kid_of(&here.keys.identity().unwrap());
    let other = elsewhere.keys.identity().unwrap();
    let file = fs::read(elsewhere.home.at("identity.key")).unwrap();
    let rotation = here.keys.import(&file).unwrap();
    assert_eq!(rotation.old.as_deref(), Some(old.as_str()));
    assert_eq!(here.keys.identity().unwrap(), other);
    assert_eq!(trusted(&here.keys), [kid_of(&other)]);
    let again = here.keys.import(&file).unwrap();
    assert_eq!((again.new, again.old), (kid_of(&other), None));
    here.keys.rotate().unwrap();
    assert!(matches!(here.keys.import(&file), Err(KeyError::Retired(_))));
    for broken in [&b""[..], b"00", &file[..63], b"{}"] {
        assert!(matches!(
            here.keys.import(broken),
            Err(KeyError::NotAnIdentity)
        ));
    }
}

#[test]
fn the_secret_lies_in_the_keychain_where_there_is_one() {
    let (_folder, home) = bare();
    let fake = Fake::serve(Mood::Open);
    let keys = Keys::of(&home.clone().with(Some(fake.keychain())));
    let first = kid_of(&keys.identity().unwrap());
    assert_eq!(keys.kept().unwrap(), Some(Kept::Keychain));
    assert_eq!(fake.names(), std::slice::from_ref(&first));
    let file = std::fs::read_to_string(home.at("identity.key")).unwrap();
    assert_eq!(file, format!("keychain {first}\n"));
    assert_eq!(kid_of(&keys.identity().unwrap()), first);

    // Without the keychain nothing can be signed, and everything else goes on.
    let headless = Keys::of(&home);
    let error = headless.identity().unwrap_err().to_string();
    assert!(error.contains("`knotrust key rotate`"), "{error}");
    assert_eq!(headless.id().unwrap(), first);
    assert_eq!(headless.keyring().unwrap().0.ids().count(), 1);

    let second = keys.rotate().unwrap();
    assert_eq!(second.old, Some(first.clone()));
    assert_eq!(fake.names(), std::slice::from_ref(&second.new));
    assert!(keys.is_retired(&first).unwrap());
    let third = headless.rotate().unwrap();
    assert_eq!(third.old, Some(second.new.clone()));
    assert!(matches!(headless.kept().unwrap(), Some(Kept::File(_))));
    assert_eq!(kid_of(&keys.identity().unwrap()), third.new);
}

#[test]
fn a_keychain_that_does_not_serve_leaves_the_secret_in_a_file() {
    for mood in [Mood::Locked, Mood::Absent, Mood::Mad] {
        let (_folder, home) = bare();
        let fake = Fake::serve(mood);
        let keys = Keys::of(&home.with(Some(fake.keychain())));
        keys.identity().unwrap();
        assert!(
            matches!(keys.kept().unwrap(), Some(Kept::File(_))),
            "{mood:?}"
        );
    }
}

#[test]
fn a_keychain_that_gives_another_key_is_not_believed() {
    let (_folder, home) = bare();
    let fake = Fake::serve(Mood::Open);
    let keys = Keys::of(&home.with(Some(fake.keychain())));
    let kid = kid_of(&keys.identity().unwrap());
    fake.keychain().keep(&kid, &[9; 32]).unwrap();
    assert!(matches!(keys.identity(), Err(KeyError::Keychain { .. })));
}

fn bare() -> (tempfile::TempDir, Home) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
    (folder, home)
}
