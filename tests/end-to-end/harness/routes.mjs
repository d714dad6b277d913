// The servers, and how to start them: directly, or with knotrust in between.

import { knotrust } from "./settings.mjs";

const SERVERS = {
  everything: () => ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"],
  filesystem: ({ workspace }) =>
    ["node", "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", workspace],
  modern: () => ["python3", "modern_server.py"],
};

/** The command of a server, to be started in a place. */
export function direct(server, place) {
  return SERVERS[server](place);
}

/** The same with knotrust in front of it. */
export function guarded(server, place) {
  return [knotrust, "--server", server, "--", ...direct(server, place)];
}

/** Several servers of the ruleset as one. */
export function served(...servers) {
  return [knotrust, "serve", ...servers];
}

/** The ways to say which server of the ruleset is meant, beside naming it. */
export const WAYS = {
  named: guarded,
  recognised: (server, place) => [knotrust, "--", ...direct(server, place)],
  pinned: (server) => [knotrust, "run", server],
};
