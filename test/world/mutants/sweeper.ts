import type { Mutant } from './mutant.js';

const dueTurns = 'apps/orchestrator/sweep/due-turns.ts';
const sweeper = 'apps/orchestrator/sweep/sweeper.ts';

export const SWEEPER: Mutant[] = [
  {
    name: 'turns are not swept',
    edit: {
      file: 'apps/orchestrator/sweep/create-sweeper.ts',
      find: 'new DueTurns(ports, wake, hints),',
      replace: '',
    },
  },
  {
    name: 'an ended turn is not due again although a call of it has no outcome',
    edit: { file: dueTurns, find: 'if (isSettled(journal)) await ports', replace: 'await ports' },
    search: { only: ['kill'] },
  },
  {
    name: 'a turn is due again after an hour',
    edit: { file: dueTurns, find: 'NEXT_CHECK_MS = 5_000', replace: 'NEXT_CHECK_MS = 3_600_000' },
  },
  {
    name: 'the sweeper makes one round',
    edit: {
      file: sweeper,
      find: 'this.timer = clock.after(random.jitter(ROUND_MS), begin, { unref: true });',
      replace: 'void begin; void random;',
    },
  },
  {
    name: 'a round that fails is the last one',
    edit: {
      file: sweeper,
      find: 'await this.attempt(() => part.sweep(now));',
      replace: 'await part.sweep(now);',
    },
  },
  {
    name: 'a turn without a driver is not hinted',
    edit: {
      file: dueTurns,
      find: 'undriven.push({ _id: turn_id, user_id, conversation_id, traceparent });',
      replace: 'void undriven;',
    },
  },
  {
    name: 'active turns are not listed',
    edit: { file: dueTurns, find: "TURNS_A_ROUND, 'moving')", replace: "TURNS_A_ROUND, 'parked')" },
  },
];
