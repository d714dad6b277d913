// How long it takes from a person's yes on the page to the answer of the call: `node people/latency.mjs PROGRAM`, with a
// program built from `session.yaml`.

import { Scratch } from "../harness/scratch.mjs";
import { Agent } from "./agent.mjs";

// An agent may ask no more often within a minute.
const ASKED = 50;
const SESSIONS = 3;

const scratch = await Scratch.make();
const times = [];
for (let session = 0; session < SESSIONS; session += 1) {
  const agent = await Agent.start(process.argv[2], await scratch.place());
  for (let index = 0; index < ASKED; index += 1) {
    times.push(await answered(agent, index));
  }
  await agent.end();
}
await scratch.remove();
times.sort((one, other) => one - other);
const at = (share) => times[Math.floor(share * (times.length - 1))].toFixed(1);
console.log(`from yes to answer: ${at(0)} ms fastest, ${at(0.5)} ms median, ${at(0.9)} ms for 9 of 10`);

async function answered(agent, index) {
  const { url, answer } = await agent.ask("transfer", { to: "DE89370400440532013000", amount: index });
  const page = await (await fetch(url)).text();
  const [, csrf] = /name="csrf" value="([^"]+)"/.exec(page);
  const started = performance.now();
  const posted = fetch(url, {
    method: "POST",
    headers: { origin: new URL(url).origin, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ csrf, action: "approve" }),
  });
  const { passed } = await answer;
  const took = performance.now() - started;
  if (!passed) {
    throw new Error("the call was not let through");
  }
  await (await posted).text();
  return took;
}
