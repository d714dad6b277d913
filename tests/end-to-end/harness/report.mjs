// Counts what holds and what does not, and says so.

export class Report {
  passed = 0;
  failed = 0;
  #verbose = process.argv.includes("--verbose");

  /** Begins a group of checks; the group prints itself when it ends. */
  async group(title, checks) {
    const started = performance.now();
    const group = new Group(this.#verbose);
    try {
      await checks(group);
    } catch (error) {
      group.fails("no error in the suite itself", error.stack);
    }
    this.passed += group.passed;
    this.failed += group.failures.length;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    const mark = group.failures.length === 0 ? "ok  " : "FAIL";
    console.log(`${mark} ${title}: ${group.passed} passed, ${group.failures.length} failed (${seconds} s)`);
    for (const { name, detail } of group.failures) {
      console.log(`     ${name}\n       ${String(detail).trimEnd().replaceAll("\n", "\n       ")}`);
    }
  }

  /** The last line, and the exit code. */
  end() {
    console.log(`${this.passed} passed, ${this.failed} failed`);
    return this.failed === 0 && this.passed > 0 ? 0 : 1;
  }
}

class Group {
  passed = 0;
  failures = [];
  #verbose;

  constructor(verbose) {
    this.#verbose = verbose;
  }

  /** Holds if there is nothing to say against it. */
  holds(name, objection) {
    if (objection === undefined || objection === false) {
      this.passed += 1;
      if (this.#verbose) {
        console.log(`     ${name}`);
      }
    } else {
      this.fails(name, objection);
    }
  }

  fails(name, detail) {
    this.failures.push({ name, detail });
  }
}
