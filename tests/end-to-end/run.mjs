// Runs the suites: `node run.mjs [--verbose] [WORD…]`; with words, only those whose title has all of them.
// `.ci/end-to-end` installs what they need and calls this.

import { Report } from "./harness/report.mjs";
import { Scratch } from "./harness/scratch.mjs";
import { denials } from "./suites/denials.mjs";
import { endings } from "./suites/endings.mjs";
import { inspector } from "./suites/inspector.mjs";
import { kills } from "./suites/kills.mjs";
import { persons } from "./suites/people.mjs";
import { questions } from "./suites/questions.mjs";
import { servings } from "./suites/served.mjs";
import { sessions } from "./suites/sessions.mjs";

// Sessions wait more than they compute.
const LANES = 2;

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const suites = [
  ...[...sessions, ...denials, ...endings, ...inspector],
  ...[...questions, ...persons, ...servings, ...kills],
].filter(({ title }) => words.every((word) => title.includes(word)));

const report = new Report();
const scratch = await Scratch.make();
await Promise.all(Array.from({ length: LANES }, async () => {
  for (let suite = suites.shift(); suite; suite = suites.shift()) {
    await report.group(suite.title, (group) => suite.run(group, scratch));
  }
}));
if (report.failed === 0) {
  await scratch.remove();
} else {
  console.log(`the sessions' files are kept in ${scratch}`);
}
process.exitCode = report.end();
