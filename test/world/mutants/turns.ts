import type { Mutant } from './mutant.js';

const takeUp = 'apps/orchestrator/turn/take-up.ts';
const turnRules = 'libs/turn/rules/turn-rules.ts';

export const TAKE_UP: Mutant[] = [
  {
    name: 'a turn starts before the earlier one of its conversation has ended',
    edit: {
      file: takeUp,
      find: 'if (earlier.length > 0 && (await',
      replace: 'if (earlier.length > 99 && (await',
    },
  },
  {
    name: 'the cached status decides whether an earlier turn has ended',
    edit: { file: takeUp, find: 'if (!endingStep(journal)) return true;', replace: '' },
  },
  {
    name: 'the turn of a dead driver is not taken over',
    edit: {
      file: turnRules,
      find: "if (holder.owner === me || liveness(holder.owner) !== 'alive')",
      replace: "if (holder.owner === me || liveness(holder.owner) === 'suspect')",
    },
  },
  {
    name: 'an orchestrator that loses the claim drives the turn anyway',
    edit: { file: takeUp, find: 'if (claimed.won) {', replace: 'if (claimed.row) {' },
  },
  {
    name: 'step numbers restart under a later claim',
    edit: {
      file: turnRules,
      find: 'return 100 * claimAttempt + Math.min(retry, 99);',
      replace: 'return 100 + Math.min(retry, 99);',
    },
  },
  {
    name: 'the model is asked before the calls have ended',
    edit: {
      file: 'libs/turn/rules/decide.ts',
      find: "return calls.length > 0 ? { do: 'await_calls', calls, parked } : { do: 'call_model', n };",
      replace: "return { do: 'call_model', n };",
    },
  },
  {
    name: 'a Stop is acknowledged although the turn has no end',
    edit: {
      file: 'libs/journal/stop-turn.ts',
      find: 'if (!endingStep(journal)) journal = await insertCancel(ports, journal);',
      replace: '',
    },
    search: { from: 2 },
  },
  {
    name: 'an end is not cached',
    edit: {
      file: 'libs/journal/end-turn.ts',
      find: 'await store.setTurnStatus(journal.turn._id, statusOf(journal));',
      replace: '',
    },
  },
  {
    name: 'a turn number is skipped',
    edit: {
      file: 'apps/gateway/turns/insert-turn.ts',
      find: 'number: lastNumber + 1 }',
      replace: 'number: lastNumber + 2 }',
    },
  },
  {
    name: 'a second message of a conversation counts as a resend of the first',
    edit: {
      file: 'apps/gateway/turns/turn-ids.ts',
      find: 'turn_${hash(conversationId, clientMessageId)}',
      replace: 'turn_${hash(conversationId)}',
    },
  },
];
