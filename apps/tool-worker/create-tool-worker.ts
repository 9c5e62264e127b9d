import { DEFAULT_AUDIT_DAYS } from '#journal';
import { ToolSetupError } from '#tools';
import { embedInGroup } from './embedded/embed-in-group.js';
import { embedWithStore } from './embedded/embed-with-store.js';
import { embedWorker, type EmbeddedOptions, type EmbeddedToolWorker } from './embedded/embed-worker.js';
import type { EmbeddedPart, EmbeddedParts } from './embedded/embedded-part.js';

/*
 * `switchyard/tool-worker`: a tool worker inside another program.
 */

export type { EmbeddedToolWorker } from './embedded/embed-worker.js';

export interface ToolWorkerOptions extends EmbeddedOptions {
  /** The store of the installation, or else `group`. A secret: never logged. */
  mongodbUrl?: string;
  /** The worker's group in the orchestrators' `CONFIG`, which keep the store for it (docs/worker-groups.md). */
  group?: string;
  /** With `mongodbUrl`: how long audit records stay in the store, in days; 0: they are only in the log. Default 30. */
  auditDays?: number;
}

/** Signals, restarts and health belong to the program: it calls `start`, and `stop` before it ends. */
export function createToolWorker(options: ToolWorkerOptions): EmbeddedToolWorker {
  return embedWorker(options, howToEmbed(options));
}

function howToEmbed({
  mongodbUrl,
  group,
  auditDays = DEFAULT_AUDIT_DAYS,
}: ToolWorkerOptions): (parts: EmbeddedParts) => EmbeddedPart {
  if (mongodbUrl !== undefined && group !== undefined)
    throw new ToolSetupError('A tool worker has `mongodbUrl` or a `group`, not both.');
  if (mongodbUrl !== undefined) return (parts) => embedWithStore(parts, { mongodbUrl, auditDays });
  if (group !== undefined) return embedInGroup(group);
  throw new ToolSetupError(
    'A tool worker needs `mongodbUrl`, or the name of its `group` (docs/worker-groups.md).',
  );
}
