// The TypeScript SDK, first version: the handshake era.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StdioClientTransport,
  getDefaultEnvironment,
} from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from "@modelcontextprotocol/sdk/types.js";

import { CAPABILITIES, environment } from "./common.mjs";
import { Peer } from "./peer.mjs";
import { play } from "./script.mjs";

class FirstVersion extends Peer {
  call(params, options) {
    return this.client.callTool(params, undefined, options);
  }

  raw(request) {
    return this.client.request(request, ResultSchema);
  }
}

await play(async ({ command, args, ear, answers }) => {
  const client = new Client({ name: "end-to-end", version: "1" }, { capabilities: CAPABILITIES });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots }));
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.sampled());
  client.setRequestHandler(ElicitRequestSchema, () => answers.elicited());
  const env = { ...getDefaultEnvironment(), ...environment() };
  const transport = new StdioClientTransport({ command, args, env, stderr: "inherit" });
  ear.on(transport);
  await client.connect(transport);
  return new FirstVersion(client);
});
