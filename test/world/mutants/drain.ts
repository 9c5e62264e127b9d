import type { Mutant } from './mutant.js';

const drain = 'libs/bootstrap/drain.ts';
const serveWorker = 'apps/tool-worker/serve-tool-worker.ts';

export const DRAIN: Mutant[] = [
  {
    name: 'the process row is removed during a drain that still has work',
    edit: {
      file: drain,
      find: 'for (const { name, run } of this.steps) {',
      replace:
        "await this.attempt('removing the row', leave, CLOSE_TIMEOUT_MS);\n    for (const { name, run } of this.steps) {",
    },
    search: { only: ['stop'] },
  },
  {
    name: 'running work is not finished by a drain',
    edit: {
      file: drain,
      find: 'await this.attempt(name, () => run(leftMs), leftMs);',
      replace: 'void name; void run; void leftMs;',
    },
    search: { only: ['stop'] },
  },
  {
    name: 'a drained process does not exit',
    edit: {
      file: drain,
      find: "logger.info('drained');\n    this.exit(0);",
      replace: "logger.info('drained');",
    },
    search: { from: 5 },
  },
  {
    name: 'a worker does not finish its calls',
    edit: {
      file: serveWorker,
      find: 'const stopped = strategy.stopConsuming(graceMs + HAND_OVER_MS);',
      replace: 'const stopped = Promise.resolve();',
    },
    search: { from: 21, only: ['stop'] },
  },
];
