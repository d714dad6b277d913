// What the suites are told by their environment.

const NAMES = ["KNOTRUST", "KNOTRUST_PASSKEY", "KNOTRUST_PIN", "KNOTRUST_SESSION"];

const missing = NAMES.filter((name) => !process.env[name]);
if (missing.length > 0) {
  console.error(`missing in the environment: ${missing.join(", ")}; .ci/end-to-end sets it`);
  process.exit(2);
}

/** The binary, built from `ruleset.yaml`. */
export const knotrust = process.env.KNOTRUST;

/** The binaries for suites about people, by what proves that it is them. */
export const people = {
  passkey: process.env.KNOTRUST_PASSKEY,
  pin: process.env.KNOTRUST_PIN,
  session: process.env.KNOTRUST_SESSION,
};
