// Killed between any two steps: a grant that is good once is never good twice, whenever its process dies.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";

import { people } from "../harness/settings.mjs";
import { run } from "../harness/start.mjs";
import { Agent } from "../people/agent.mjs";

const KNOTRUST = people.session;

// A call takes far fewer steps; beyond that something is wrong with the suite.
const MOST = 400;

export const kills = [{
  title: "killed at every step between a call and its server",
  async run(group, scratch) {
    let step = 0;
    for (let survived = false; !survived && step < MOST;) {
      step += 1;
      const { first, made, second, calls, left, checked } = await lived(await scratch.place(), step);
      survived = first !== "killed";
      const at = `killed at step ${step}`;
      group.holds(`${at}: the call was made at most once`, calls > 1 && `${calls} times`);
      group.holds(`${at}: what was made is used up`, made === 1 && second);
      group.holds(`${at}: nothing half written is left`, left.length > 0 && left.join());
      group.holds(`${at}: the log holds`, checked.code !== 0 && checked.out + checked.err);
    }
    group.holds("in the end the call outlived it", step === MOST);
    group.holds("and there were steps to be killed at", step < 10);
  },
}];

/** One life: a call, a death at that step, another life, the same call. */
async function lived(place, step) {
  const grant = ["grant", "--server", "bank", "--tool", "note", "--single-use", "--yes"];
  await run([KNOTRUST, ...grant], place);
  const agent = await Agent.start(KNOTRUST, place);
  const died = once(agent.child, "exit").then(() => "killed");
  const tracer = await traced(agent.child.pid, step);
  const first = await Promise.race([died, agent.call("note", {}).then(({ passed }) => passed, () => "killed")]);
  tracer.kill();
  agent.child.kill("SIGKILL");
  await died;
  const made = agent.done().length;
  const next = await Agent.start(KNOTRUST, place);
  const second = (await next.call("note", {})).passed;
  const calls = next.done().length;
  await next.end();
  const checked = await run([KNOTRUST, "audit", "verify"], place);
  return { first, made, second, calls, left: leftBehind(join(place.home, "grants")), checked };
}

/** Follows every thread of a process, and kills it at one of its system calls from now on. */
async function traced(pid, step) {
  const tracer = spawn("strace", ["-f", "-p", String(pid), "-o", "/dev/null", "-e", `inject=all:signal=KILL:when=${step}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  tracer.stderr.setEncoding("utf8");
  let said = "";
  while (!said.includes("attached")) {
    const [more] = await Promise.race([once(tracer.stderr, "data"), once(tracer, "exit").then(() => [undefined])]);
    if (more === undefined) {
      throw new Error(`strace cannot follow: ${said}`);
    }
    said += more;
  }
  return tracer;
}

/** Files of the grants that are none of those that have a meaning. */
function leftBehind(folder) {
  const known = /^([0-9A-Z]{26}(\.jws|\.json)?|\.lock|changes|snapshot.*|consumed|tombstones|uses|index)$/;
  return readdirSync(folder, { recursive: true })
    .map((path) => path.split("/").at(-1))
    .filter((name) => !known.test(name));
}
