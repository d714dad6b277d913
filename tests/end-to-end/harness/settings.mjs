// What the suites are told by their environment.

const missing = ["KNOTRUST"].filter((name) => !process.env[name]);
if (missing.length > 0) {
  console.error(`missing in the environment: ${missing.join(", ")}; .ci/end-to-end sets it`);
  process.exit(2);
}

/** The binary, built from `ruleset.yaml`. */
export const knotrust = process.env.KNOTRUST;
