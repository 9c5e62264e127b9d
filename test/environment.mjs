import { AsyncLocalStorage } from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

/** Storages that the file under test has entered, jest's own among them. */
const entered = new Set();

for (const method of ['run', 'enterWith']) {
  const original = AsyncLocalStorage.prototype[method];
  AsyncLocalStorage.prototype[method] = function (...given) {
    entered.add(this);
    return original.apply(this, given);
  };
}

/**
 * Ends what a test file leaves in Node itself. Until Node 24 a storage that was entered once is asked at every promise
 * for as long as the process runs, so that without this each file of a worker makes all later ones slower.
 */
export default class Environment extends TestEnvironment {
  async teardown() {
    await super.teardown();
    for (const storage of entered) storage.disable();
    entered.clear();
  }
}
