import type { Mutant } from './mutant.js';

const ledger = 'libs/ledger/store-ledger/store-ledger.ts';
const callRules = 'libs/turn/rules/call-rules.ts';
const giveUp = 'libs/turn/rules/give-up-rules.ts';

export const CLAIMS: Mutant[] = [
  {
    name: 'no process knows what operators have paused',
    edit: {
      file: 'libs/bootstrap/switches.ts',
      find: 'if (this.rows.size === 0) return undefined;',
      replace: 'if (this.rows.size >= 0) return undefined;',
    },
    search: { switches: 12, strikes: 0 },
  },
  {
    name: 'a worker that loses the first claim runs the call anyway',
    edit: { file: ledger, find: "if (!won) return 'lost';", replace: 'void won;' },
  },
  {
    name: 'a call of class once runs again',
    edit: {
      file: callRules,
      find: "return toolClass !== 'once';",
      replace: "return toolClass !== 'read' || true;",
    },
  },
  {
    name: 'a call of a living worker is claimed again',
    edit: {
      file: callRules,
      find: "if (work.liveness(holder.owner) === 'alive') return { do: 'ignore' };",
      replace: '',
    },
    search: { strikes: 0 },
  },
  {
    name: 'a call is given up under a lost claim',
    edit: {
      file: giveUp,
      find: "if (stands.purpose === 'settle' && stands.decides)",
      replace:
        "if (stands) return { do: 'settle', outcome: wanted };\n  if (stands.purpose === 'settle' && stands.decides)",
    },
    search: { from: 9 },
  },
  {
    name: 'a stopped call is not given up',
    edit: { file: callRules, find: 'if (stopped) return compete(neverStarted());', replace: '' },
  },
  {
    name: 'a denied call runs',
    edit: {
      file: callRules,
      find: "if (approval?.decision === 'deny')",
      replace: 'if (approval?.decision === undefined)',
    },
  },
  {
    name: 'the hint and the ack go out before the outcome is in the store',
    edit: {
      file: ledger,
      find: 'const stands = await settle(this.ports, label, outcome);',
      replace: 'const stands = outcome;\n    void settle(this.ports, label, outcome);',
    },
  },
  {
    name: 'two simultaneous answers are both acknowledged as the one that counts',
    edit: {
      file: 'apps/gateway/turns/answer-calls.ts',
      find: 'if (!won) throw alreadyAnswered();',
      replace: 'void won;',
    },
  },
  {
    name: 'an answer is acknowledged before it is in the store',
    edit: {
      file: 'apps/gateway/turns/answer-calls.ts',
      find: 'await this.insert({ ...answer, decision });',
      replace: 'void this.insert({ ...answer, decision }).catch(() => undefined);',
    },
  },
  {
    name: 'a call of a stopped turn is settled although its worker may be running it',
    edit: {
      file: 'libs/turn/rules/stopped-calls.ts',
      find: 'if (left.length > 0)',
      replace: 'if (left.length > 9)',
    },
  },
  {
    name: 'a call ends without a claim',
    edit: {
      file: 'libs/journal/carry-out.ts',
      find: 'const { won, row } = await ports.store.claim(settleClaim(outcome, ports.me));',
      replace: 'const [won, row] = [true, settleClaim(outcome, ports.me)];',
    },
  },
  {
    name: 'a call of a living worker counts as lost',
    edit: {
      file: 'libs/journal/owner-liveness.ts',
      find: "dead.has(processId) ? 'dead' : 'alive'",
      replace: "dead.has(processId) ? 'alive' : 'dead'",
    },
  },
  {
    name: 'an attempt number is skipped',
    edit: {
      file: callRules,
      find: "return { do: 'claim_again', attempt: holder.n + 1 };",
      replace: "return { do: 'claim_again', attempt: holder.n + 2 };",
    },
  },
  {
    name: 'a call that needs approval is sent without it',
    edit: {
      file: callRules,
      find: "if (call.approval === 'required' && !approval)",
      replace: "if (call.approval === 'required' && approval)",
    },
  },
  {
    name: 'a call that loses one worker after another is never given up',
    edit: {
      file: callRules,
      find: "if (holder.n < attempts) return { do: 'publish' };",
      replace: "return { do: 'publish' };",
    },
    search: { from: 22, only: ['kill'] },
  },
  {
    name: 'a worker that claims a call of a stopped turn again runs it',
    edit: {
      file: callRules,
      find: "if (read.next && (read.next.kind === 'cancel' || read.next.kind === 'fail')) return 'stopped';",
      replace: '',
    },
    search: { from: 98 },
  },
];
