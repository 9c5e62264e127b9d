import { needsBuild } from '../../scripts/test-plan.mjs';
import Environment from '../environment.mjs';

const shownLogCharacters = 8000;

/** Refuses an old build where it is used, prints what the processes of a test file logged when a test fails, and leaves none of them running. */
export default class ServicesEnvironment extends Environment {
  #path;

  constructor(config, context) {
    super(config, context);
    this.#path = context.testPath;
  }

  async setup() {
    await super.setup();
    // Said once, and before hooks that would fail for want of a process.
    const complaint = process.env.SWITCHYARD_TEST_STALE_BUILD;
    if (complaint && needsBuild(this.#path)) throw new Error(complaint);
    // Jest copies the globals of its own realm in here: in a run in band that would be the shared services.
    this.global.switchyardChildren = [];
  }

  handleTestEvent(event) {
    if (event.name !== 'test_done' || event.test.errors.length === 0) return;
    for (const child of this.#children()) {
      const log = child.log.slice(-shownLogCharacters) || '(nothing)';
      process.stderr.write(
        `\n--- ${child.name} (pid ${child.pid}) logged, when "${event.test.name}" failed:\n${log}\n`,
      );
    }
  }

  async teardown() {
    await Promise.all(this.#children().map((child) => child.kill()));
    await super.teardown();
  }

  #children() {
    return this.global?.switchyardChildren ?? [];
  }
}
