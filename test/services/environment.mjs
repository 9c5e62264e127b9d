import { TestEnvironment } from 'jest-environment-node';

const shownLogCharacters = 8000;

/** Prints what the processes of a test file logged when a test fails, and leaves none of them running. */
export default class ServicesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
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
