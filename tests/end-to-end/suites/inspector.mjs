// The inspector's command line: one connection a command, in either era; a refusal is exit code 5 with the payload.

import { difference, settled } from "../harness/compare.mjs";
import { direct, guarded } from "../harness/routes.mjs";
import { run, variables } from "../harness/start.mjs";
import { refusal } from "./denials.mjs";

const call = (tool, args) =>
  ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", JSON.stringify(args)];

const SAME = [
  ["legacy", "everything", ["--method", "tools/list"]],
  ["legacy", "everything", ["--strict", "--method", "tools/list"]],
  ["auto", "everything", call("get-structured-content", { location: "Chicago" })],
  ["auto", "everything", ["--method", "resources/read", "--uri", "demo://resource/static/document/features.md"]],
  ["auto", "everything", ["--method", "prompts/get", "--prompt-name", "args-prompt", "--prompt-args", "city=Oslo"]],
  ["modern", "everything", ["--method", "tools/list"]],
  ["legacy", "filesystem", ["--method", "tools/list"]],
  ["legacy", "modern", call("add", { a: 2, b: 3 })],
  ["auto", "modern", ["--strict", "--method", "tools/list"]],
  ["auto", "modern", call("fail", {})],
  ["modern", "modern", ["--method", "tools/list"]],
  ["modern", "modern", ["--method", "resources/templates/list"]],
  ["modern", "modern", call("add", { a: 2, b: 3 })],
];

const DENIED = [
  ["legacy", "everything", call("get-structured-content", { location: "New York" }), "deny"],
  ["auto", "everything", call("echo", { message: "secret" }), "deny"],
  ["modern", "modern", call("add", { a: 1000, b: 1 }), "deny"],
  ["modern", "modern", call("delete_note", { name: "deleted" }), "pending_approval"],
];

const LOADED = [
  ["legacy", "everything", call("echo", { message: "x" })],
  ["modern", "modern", call("echo", { message: "x" })],
];

const LOAD = ["--load", "--load-requests", "200", "--load-concurrency", "8"];

// What the inspector exits with when a tool says that it failed.
const IS_ERROR = 5;

export const inspector = [
  ...SAME.map(([era, server, args]) => ({
    title: `inspector (${era}), ${server}: ${short(args)}`,
    async run(group, scratch) {
      const places = [await scratch.place(), await scratch.place()];
      const [before, after] = await Promise.all([
        inspected(era, args, direct(server, places[0]), places[0]),
        inspected(era, args, guarded(server, places[1]), places[1]),
      ]);
      group.holds("the exit code", difference(before.code, after.code));
      group.holds("the result", difference(settled(before.out, places[0]), settled(after.out, places[1])));
      group.holds("the complaints", difference(settled(before.err, places[0]), settled(after.err, places[1])));
    },
  })),
  ...DENIED.map(([era, server, args, outcome]) => ({
    title: `inspector (${era}), ${server}, denied: ${short(args)}`,
    async run(group, scratch) {
      const place = await scratch.place();
      const { code, out } = await inspected(era, args, guarded(server, place), place);
      group.holds("the exit code", difference(IS_ERROR, code));
      group.holds("the payload", refusal(JSON.parse(out).result, outcome, {}));
    },
  })),
  ...LOADED.map(([era, server, args]) => ({
    title: `inspector (${era}), ${server}: under load`,
    async run(group, scratch) {
      const place = await scratch.place();
      const { code, out } = await inspected(era, [...LOAD, ...args], guarded(server, place), place);
      group.holds("the exit code", difference(0, code));
      const { requests, ok, toolErrors, errors } = JSON.parse(out).result;
      group.holds("every call", difference({ requests: 200, ok: 200, toolErrors: 0, errors: 0 },
        { requests, ok, toolErrors, errors }));
    },
  })),
];

function inspected(era, args, command, place) {
  const front = ["node", "node_modules/.bin/mcp-inspector", "--cli", "-q", "--format", "json"];
  const patient = ["--connect-timeout", "60000"];
  return run([...front, ...patient, ...variables(place), "--protocol-era", era, ...args, "--", ...command], place);
}

function short(args) {
  return args.filter((arg) => !["--method", "--tool-name", "--tool-args-json"].includes(arg)).join(" ");
}
