// Sessions that end otherwise than by a client that closes when all is said: no process may stay.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { processesMarked } from "../clients/processes.mjs";
import { guarded } from "../harness/routes.mjs";
import { ownEnvironment } from "../harness/start.mjs";

// How long clients wait after they have closed a server's input, and again after a signal, before they send the next.
const PATIENCE = 2000;
// A process that lost its parent or its client has this long to be gone on a busy machine.
const GRACE = 3000;

// What happens in the middle of a call, and how long knotrust may then take. A client that closes its end may still want the
// answer; when it has waited long enough it says so.
const ENDINGS = {
  "the client closes its end, and waits": [({ stdin }) => stdin.end(), PATIENCE * 2],
  "the client closes both ends": [close, PATIENCE],
  "it is told to terminate": [(knotrust) => knotrust.kill("SIGTERM"), PATIENCE],
  "it is interrupted": [(knotrust) => knotrust.kill("SIGINT"), PATIENCE],
  "it is killed": [(knotrust) => knotrust.kill("SIGKILL"), PATIENCE],
};

export const endings = ["everything", "modern"].flatMap((server) =>
  Object.entries(ENDINGS).map(([how, [end, limit]]) => ({
    title: `${server}, in the middle of a call: ${how}`,
    async run(group, scratch) {
      const place = await scratch.place();
      const knotrust = await busy(server, place);
      const exited = once(knotrust, "exit");
      const started = performance.now();
      end(knotrust);
      const terminates = setTimeout(() => knotrust.kill("SIGTERM"), PATIENCE);
      const [code, signal] = await exited;
      clearTimeout(terminates);
      const took = Math.round(performance.now() - started);
      group.holds("it ends in time", took >= limit && `${took} ms, ${code ?? signal}`);
      const left = await processesMarked(place.mark, GRACE);
      group.holds("nothing is left behind", left.length > 0 && left.join("\n"));
    },
  })));

function close({ stdin, stdout }) {
  stdin.end();
  stdout.destroy();
}

/** A session whose server is at work on a call. */
async function busy(server, place) {
  const [program, ...args] = guarded(server, place);
  const env = { ...process.env, ...ownEnvironment(place) };
  const knotrust = spawn(program, args, { env, stdio: ["pipe", "pipe", "ignore"] });
  knotrust.stdin.on("error", () => {});
  const say = (message) => knotrust.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = createInterface({ input: knotrust.stdout });
  const clientInfo = { name: "end-to-end", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  say({ id: 1, method: "initialize", params });
  await once(lines, "line");
  say({ method: "notifications/initialized" });
  say({ id: 2, method: "tools/call", params: { ...CALLS[server], _meta: { progressToken: 2 } } });
  await once(lines, "line");
  return knotrust;
}

const CALLS = {
  everything: { name: "trigger-long-running-operation", arguments: { duration: 60, steps: 600 } },
  modern: { name: "wait", arguments: { steps: 1000 } },
};
