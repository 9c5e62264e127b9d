import type { Mutant } from './mutant.js';

const takeUp = 'apps/orchestrator/turn/take-up.ts';
const turnRules = 'libs/turn/rules/turn-rules.ts';

export const TAKE_UP: Mutant[] = [
  {
    name: 'a turn is taken up while an earlier one of its conversation has not ended',
    edit: {
      file: takeUp,
      find: 'if (earlier.length > 0 && (await',
      replace: 'if (earlier.length > 99 && (await',
    },
  },
  {
    name: 'an earlier turn counts as ended by its cached status',
    edit: { file: takeUp, find: 'if (!endingStep(journal)) return true;', replace: '' },
  },
  {
    name: 'the turn of a dead driver is left to it',
    edit: {
      file: turnRules,
      find: "if (holder.owner === me || liveness(holder.owner) !== 'alive')",
      replace: "if (holder.owner === me || liveness(holder.owner) === 'suspect')",
    },
  },
  {
    name: 'who loses the claim drives all the same',
    edit: { file: takeUp, find: 'if (claimed.won) {', replace: 'if (claimed.row) {' },
  },
  {
    name: 'steps are counted anew under a later claim',
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
    search: { from: 2, seeds: 20 },
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
    name: 'a number is left out',
    edit: {
      file: 'apps/gateway/turns/insert-turn.ts',
      find: 'number: lastNumber + 1 }',
      replace: 'number: lastNumber + 2 }',
    },
  },
  {
    name: 'a second message of a conversation counts as the first one sent again',
    edit: {
      file: 'apps/gateway/turns/turn-ids.ts',
      find: 'turn_${hash(conversationId, clientMessageId)}',
      replace: 'turn_${hash(conversationId)}',
    },
  },
];
