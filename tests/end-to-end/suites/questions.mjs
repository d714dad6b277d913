// The inspector's daemon, which keeps a connection while a script answers what the server asks in the middle of a call.

import { difference, settled } from "../harness/compare.mjs";
import { processesMarked } from "../clients/processes.mjs";
import { direct, guarded } from "../harness/routes.mjs";
import { run, variables } from "../harness/start.mjs";

const QUESTIONS = [
  ["legacy", "everything", ["trigger-elicitation-request", "{}"], [["name:=Ada", "check:=true"], ["--decline"]]],
  ["modern", "modern", ["order", "dish:=ice"], [["flavour:=lemon", "scoops:=2"], ["--cancel"]]],
];

// The daemon takes its time to end when it is told to.
const DAEMON_ENDS = 5000;

export const questions = QUESTIONS.map(([era, server, call, answers]) => ({
  title: `mcpdo (${era}), ${server}: ${call[0]}`,
  async run(group, scratch) {
    const places = [await scratch.place(), await scratch.place()];
    const [before, after] = await Promise.all([
      conversation(era, direct(server, places[0]), call, answers, places[0]),
      conversation(era, guarded(server, places[1]), call, answers, places[1]),
    ]);
    for (const name of Object.keys(before)) {
      group.holds(name, difference(before[name], after[name]));
    }
    const left = await processesMarked(places[1].mark, DAEMON_ENDS);
    group.holds("nothing is left behind", left.length > 0 && left.join("\n"));
  },
}));

async function conversation(era, command, call, answers, place) {
  const mcpdo = async (...args) => {
    const { out, err, code } = await run(["node", "node_modules/.bin/mcpdo", "--format", "json", ...args], place, {
      MCP_INSPECTOR_DAEMON_DIR: place.folder,
      MCP_INSPECTOR_DAEMON_TOKEN: "t".repeat(43),
      MCP_INSPECTOR_SECRET_STORE: "memory",
    });
    if (code !== 0) {
      throw new Error(`mcpdo ${args.join(" ")} ended with ${code}\n${err.slice(-1000)}`);
    }
    return JSON.parse(out);
  };
  const came = {};
  const { name } = await mcpdo("connect", "--connect-timeout", "60000", ...variables(place), "--era", era, "--", ...command);
  try {
    for (const [index, answer] of answers.entries()) {
      const asked = await mcpdo("--connection", name, "tools/call", ...call);
      const { elicitationId, connection, expiresAt, ...question } = asked.elicitationPending;
      came[`question ${index + 1}`] = settled(question, place);
      came[`answer ${index + 1}`] = settled(await mcpdo("elicitation/respond", elicitationId, ...answer), place);
    }
  } finally {
    await mcpdo("daemon", "stop");
  }
  return came;
}
