// What the clients of both versions have in common.

/** All that a server may ask of a client. */
export const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

// SDK clients hand on a few variables only. These are the suite's own, and the server must see them.
const OWN = ["END_TO_END_RUN", "KNOTRUST_HOME"];

/** The suite's own variables, as far as they are set. */
export function environment() {
  const set = OWN.filter((name) => process.env[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, process.env[name]]));
}
