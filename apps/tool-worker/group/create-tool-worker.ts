import { embedInGroup } from '../embedded/embed-in-group.js';
import { embedWorker, type EmbeddedOptions, type EmbeddedToolWorker } from '../embedded/embed-worker.js';

/*
 * `@switchyard/tool-worker`, bundled into `packages/tool-worker`: `switchyard/tool-worker` without the store.
 */

export type { EmbeddedToolWorker } from '../embedded/embed-worker.js';

export interface ToolWorkerOptions extends EmbeddedOptions {
  /** The worker's group in the orchestrators' `CONFIG`, which keep the store for it. */
  group: string;
}

/** Signals, restarts and health belong to the program: it calls `start`, and `stop` before it ends. */
export function createToolWorker(options: ToolWorkerOptions): EmbeddedToolWorker {
  return embedWorker(options, embedInGroup(options.group));
}
