//! A pin that a person types, and the key that is derived from it.
//!
//! A hash in the ruleset would let this program *check* a pin, but whatever checks can be replaced by what does not. So the
//! pin is stretched (Argon2id) into the seed of an Ed25519 key whose public half is compiled into the ruleset: to agree is
//! to sign, and the signature is verified wherever a grant is read. The private half exists while it is used.
//!
//! Salt and public key are no secret, so a pin can be guessed at leisure by whoever reads the ruleset. Each guess costs
//! what [`COST`] says; that is why short ones are refused. A passkey cannot be guessed at all.

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use thiserror::Error;

/// What stands in the ruleset of somebody who approves with a pin.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Enrolled {
    /// The salt, base64url.
    pub salt: String,
    /// The public key, base64url.
    pub public_key: String,
}

/// Why a pin does not serve.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum PinError {
    /// It could be guessed.
    #[error(
        "the pin is too easy to guess: take at least 8 characters, or 10 digits, not all alike"
    )]
    Weak,
    /// It is another one.
    #[error("the pin is not the one of the ruleset")]
    Wrong,
    /// The ruleset holds no salt and key.
    #[error("salt and public key of the ruleset are not understood")]
    Ruleset,
    /// There is no room to stretch it.
    #[error("there is not enough memory to check the pin")]
    Memory,
    /// The system has no randomness.
    #[error("the system has no randomness to give")]
    Random,
}

/// Makes the lines of a ruleset from a pin.
///
/// # Errors
///
/// The pin is weak, or the system has no memory or randomness to give.
pub fn enroll(pin: &str) -> Result<Enrolled, PinError> {
    enroll_at(pin, COST)
}

/// Signs a challenge with the key of the pin.
///
/// # Errors
///
/// The pin is not that of the ruleset.
pub fn sign(
    pin: &str,
    salt: &str,
    public_key: &str,
    challenge: &[u8; 32],
) -> Result<[u8; 64], PinError> {
    sign_at(pin, salt, public_key, challenge, COST)
}

/// What it costs to try a pin.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// KiB.
    memory: u32,
    passes: u32,
}

/// 128 MiB and four passes: a good part of a second, for the person and for each guess.
///
/// Fixed, since another cost is another key: a change would void every enrolled pin.
const COST: Cost = Cost {
    memory: 128 << 10,
    passes: 4,
};

fn enroll_at(pin: &str, cost: Cost) -> Result<Enrolled, PinError> {
    if is_weak(pin) {
        return Err(PinError::Weak);
    }
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|_| PinError::Random)?;
    let key = derive(pin, &salt, cost)?;
    Ok(Enrolled {
        salt: URL_SAFE_NO_PAD.encode(salt),
        public_key: URL_SAFE_NO_PAD.encode(key.verifying_key().as_bytes()),
    })
}

fn sign_at(
    pin: &str,
    salt: &str,
    public_key: &str,
    challenge: &[u8; 32],
    cost: Cost,
) -> Result<[u8; 64], PinError> {
    let decode = |text| URL_SAFE_NO_PAD.decode(text).map_err(|_| PinError::Ruleset);
    let (salt, public_key) = (decode(salt)?, decode(public_key)?);
    let key = derive(pin, &salt, cost)?;
    if key.verifying_key().as_bytes().as_slice() != public_key {
        return Err(PinError::Wrong);
    }
    Ok(key.sign(challenge).to_bytes())
}

fn derive(pin: &str, salt: &[u8], cost: Cost) -> Result<SigningKey, PinError> {
    let mut seed = [0; 32];
    let params = Params::new(cost.memory, cost.passes, 1, Some(seed.len()));
    let params = params.map_err(|_| PinError::Ruleset)?;
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(pin.as_bytes(), salt, &mut seed)
        .map_err(|error| {
            let no_room = error == argon2::Error::OutOfMemory;
            if no_room {
                PinError::Memory
            } else {
                PinError::Ruleset
            }
        })?;
    Ok(SigningKey::from_bytes(&seed))
}

fn is_weak(pin: &str) -> bool {
    let length = pin.chars().count();
    let digits = pin.bytes().all(|byte| byte.is_ascii_digit());
    let mut distinct: Vec<char> = pin.chars().collect();
    distinct.sort_unstable();
    distinct.dedup();
    length < 8 || (digits && length < 10) || distinct.len() < 4
}

#[cfg(test)]
mod tests {
    use knotrust_core::consent::{Consent, Proof, Statement};
    use knotrust_core::json::Value;
    use knotrust_core::ruleset::{Approvals, Approver};

    use super::*;

    const CHEAP: Cost = Cost {
        memory: 8,
        passes: 1,
    };

    #[test]
    fn who_knows_the_pin_signs_and_who_does_not_can_not() {
        let enrolled = enroll_at("correct horse", CHEAP).unwrap();
        let rules = Approvals {
            approver: Approver::Pin {
                salt: &enrolled.salt,
                public_key: &enrolled.public_key,
            },
            ..Approvals::DEFAULT
        };
        let claims = Value::string("stands for claims");
        let statement = Statement::Grant(&claims);
        let sign = |pin| {
            let (salt, key) = (&enrolled.salt, &enrolled.public_key);
            sign_at(pin, salt, key, &statement.challenge(), CHEAP)
        };
        let consent = Consent {
            approval: None,
            reviewer: None,
            proof: Proof::Pin(sign("correct horse").unwrap()),
        };
        assert!(rules.believe(&consent, &statement).is_ok());
        let other = Value::string("stands for other claims");
        assert!(rules.believe(&consent, &Statement::Grant(&other)).is_err());
        assert_eq!(sign("correct horsf"), Err(PinError::Wrong));
        assert_eq!(sign(""), Err(PinError::Wrong));
    }

    #[test]
    fn one_pin_enrolled_twice_is_two_keys() {
        let [one, two] = [(), ()].map(|()| enroll_at("correct horse", CHEAP).unwrap());
        assert_ne!(one, two);
    }

    #[test]
    fn pins_that_can_be_guessed_are_refused() {
        for weak in [
            "",
            "1234567",
            "123456789",
            "aaaaaaaaaaaa",
            "abcabcabcabc",
            "\u{e9}a\u{e9}b",
        ] {
            assert_eq!(enroll_at(weak, CHEAP), Err(PinError::Weak), "{weak}");
        }
        for good in [
            "4071936528",
            "tr0ubad0r",
            "\u{436}\u{438}\u{440}\u{430}\u{444}\u{444}\u{430}1",
        ] {
            assert!(enroll_at(good, CHEAP).is_ok(), "{good}");
        }
        let broken = sign_at("correct horse", "!", "!", &[0; 32], CHEAP);
        assert_eq!(broken, Err(PinError::Ruleset));
    }
}
