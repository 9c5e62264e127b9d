import type { Mutant } from './mutant.js';

const rules = 'libs/bootstrap/liveness-rules.ts';
const heartbeat = 'libs/bootstrap/heartbeat.ts';
const owners = 'libs/journal/owner-liveness.ts';

export const LIVENESS: Mutant[] = [
  {
    name: 'a suspected process counts as dead',
    edit: {
      file: owners,
      find: 'if (await peers.isDead(owner))',
      replace: 'if (await peers.isSuspect(owner))',
    },
    search: { from: 136, noDeaths: true },
  },
  {
    name: 'a changed beat counts from when the previous one was seen',
    edit: { file: rules, find: 'if (before?.beat !== beat)', replace: 'if (!before)' },
  },
  {
    name: 'no process ever counts as dead',
    edit: { file: owners, find: 'if (await peers.isDead(owner))', replace: 'if (owner === "")' },
  },
  {
    name: 'a heartbeat that fails is the last one',
    edit: {
      file: heartbeat,
      find: 'this.state = failedBeat(this.state, this.now());\n      logger[',
      replace: 'this.isStopped = true;\n      logger[',
    },
  },
  {
    name: 'a process beats once',
    edit: {
      file: heartbeat,
      find: 'this.inFlight = this.beat({ dueAt, begun }).then(() =>',
      replace: 'this.inFlight = this.beat({ dueAt, begun }).then(() => undefined && ',
    },
  },
  {
    name: 'rows of processes that stalled for seconds are removed',
    edit: {
      file: 'apps/orchestrator/sweep/sweeper.ts',
      find: 'FORGOTTEN_MS = 3_600_000',
      replace: 'FORGOTTEN_MS = 3_600',
    },
  },
  {
    name: 'a process has no row',
    edit: {
      file: 'libs/bootstrap/heartbeat.ts',
      find: 'await store.insertProcess(row);',
      replace: 'void row;',
    },
  },
];
