// An MCP server that does whatever it is told, and writes down what that was: `node people/bank.mjs`, with CALLS naming a file.

import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";

const TOOLS = ["balance", "note", "shell", "sign_off", "transfer"].map((name) => ({
  name,
  description: `The ${name} of the bank.`,
  inputSchema: { type: "object" },
}));

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) {
    continue;
  }
  const answers = {
    "initialize": () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bank", version: "1.0.0" },
    }),
    "tools/list": () => ({ tools: TOOLS }),
    "tools/call": () => {
      if (process.env.CALLS) {
        appendFileSync(process.env.CALLS, `${JSON.stringify(params)}\n`);
      }
      return { content: [{ type: "text", text: `${params.name} done` }] };
    },
  };
  const result = answers[method]?.() ?? {};
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}
