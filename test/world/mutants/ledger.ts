import type { Mutant } from './mutant.js';

const claims = 'libs/ledger/store-ledger/call-claims.ts';

export const LEDGER: Mutant[] = [
  {
    name: 'a claim whose answer was lost counts as lost to another worker',
    edit: {
      file: claims,
      find: 'return nonce !== undefined && row.nonce === nonce && row.owner === me;',
      replace: 'void [nonce, row, me];\n  return false;',
    },
    search: { hasLedger: true },
  },
  {
    name: 'beats of workers that do not come through count against the workers',
    edit: {
      file: 'libs/bootstrap/peers.ts',
      find: 'return group === undefined ? own : this.paths.countedFor(group, own, this.now());',
      replace: 'return own;',
    },
    search: { from: 32, hasLedger: true },
  },
  {
    name: 'a worker of a group claims before the others know that it lives',
    edit: {
      file: 'libs/ledger/remote/remote-ledger.ts',
      find: '    await this.options.beKnown();\n    const claimed = await this.claimAttempt(call, 1);',
      replace: '    const claimed = await this.claimAttempt(call, 1);',
    },
    search: { from: 12, hasLedger: true },
  },
];
