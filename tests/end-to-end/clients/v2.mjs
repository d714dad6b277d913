// The TypeScript SDK, second version, in either era of the protocol.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport, getDefaultEnvironment } from "@modelcontextprotocol/client/stdio";

import { CAPABILITIES, environment } from "./common.mjs";
import { Peer } from "./peer.mjs";
import { play } from "./script.mjs";

const NEGOTIATION = { legacy: "legacy", auto: "auto", modern: { pin: "2026-07-28" } };
// In this era, log messages come only for requests that ask for them.
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";

class SecondVersion extends Peer {
  introduction() {
    return { ...super.introduction(), era: this.era() };
  }

  era() {
    return this.client.getProtocolEra();
  }

  call(params, options) {
    const meta = this.era() === "modern" ? { _meta: { [LOG_LEVEL]: "debug" } } : {};
    return this.client.callTool({ ...params, ...meta }, options);
  }

  async listen(filter) {
    const subscription = await this.client.listen(filter);
    return subscription.honoredFilter;
  }
}

await play(async ({ command, args, era, ear, answers }) => {
  const client = new Client(
    { name: "end-to-end", version: "1" },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: NEGOTIATION[era] } },
  );
  client.setRequestHandler("roots/list", () => ({ roots: answers.roots }));
  client.setRequestHandler("sampling/createMessage", () => answers.sampled());
  client.setRequestHandler("elicitation/create", () => answers.elicited());
  const env = { ...getDefaultEnvironment(), ...environment() };
  const transport = new StdioClientTransport({ command, args, env, stderr: "inherit" });
  ear.on(transport);
  await client.connect(transport);
  return new SecondVersion(client);
});
