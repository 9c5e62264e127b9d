import type { ContractCase } from '../contract-case.js';
import type { ContractRun } from '../contract-run.js';
import type { Fate } from '../contract-server.js';
import { pause, until } from '../until.js';

const CUT_MS = 3_000;
const SILENT_MS = 6_000;

/** Messages come twice, late, or not at all. */
export const lostMessageCases: ContractCase[] = [
  {
    title: 'runs a call once although two copies of it arrive at once, and a third one after its end',
    async run(contract) {
      await contract.worker();
      const call = await contract.calls.commit('act', { file: contract.newFile(), wait_ms: 500 });
      await Promise.all([contract.calls.send(call), contract.calls.send(call)]);
      await contract.calls.outcomeOf(call);
      await contract.calls.send(call);
      await afterwards(contract);
      contract.expect('the number of starts', contract.startsOf(call), 1);
    },
  },
  ...(['lost', 'unanswered', 'twice'] as const).map((fate): ContractCase => ({
    title: {
      lost: 'repeats a request that is lost, as the same request',
      unanswered: 'repeats a request whose answer is lost: a claim that was stored is its own',
      twice: 'takes the first of two answers',
    }[fate],
    async run(contract) {
      await contract.worker();
      const seen = new Map<string, number>();
      contract.server.fateOf = ({ type, body }) => {
        if (type !== 'ledger.claim' && type !== 'ledger.settle') return 'served';
        const count = (seen.get(body.request_id) ?? 0) + 1;
        seen.set(body.request_id, count);
        return fate === 'twice' || count <= 2 ? fate : 'served';
      };
      const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 0 });
      const { status } = await contract.calls.outcomeOf(call);
      contract.expect('the status', status, 'success');
      const times = fate === 'twice' ? 1 : 3;
      await until('the repetitions', () => [...seen.values()].every((count) => count === times));
      contract.expect('the number of starts', contract.startsOf(call), 1);
      contract.expect('the number of claims and settles', seen.size, 2);
    },
  })),
  {
    title: 'does not start a call whose claim is answered after its deadline',
    async run(contract) {
      await contract.worker();
      contract.server.fateOf = ({ type }) => late(type === 'ledger.claim' ? 2_500 : 0);
      const args = { file: contract.newFile(), wait_ms: 0 };
      const call = await contract.calls.make('act', args, { deadlineMs: 1_500 });
      await contract.expectUnstarted(call, 'TimeoutError');
    },
  },
  {
    title: 'does not start a call of a tool that an operator has paused',
    async run(contract) {
      await contract.worker();
      await contract.server.pause('contract.act', true);
      const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 0 });
      const kept = contract.expectUnstarted(call, 'DependencyUnavailable');
      await kept.finally(() => contract.server.pause('contract.act', false));
      await until('a call of the tool that runs after the pause', () => runsAgain(contract));
    },
  },
  {
    title: 'does not start a call that is stopped while it is claimed',
    async run(contract) {
      await contract.worker();
      const call = await contract.calls.commit('act', { file: contract.newFile(), wait_ms: 0 });
      contract.server.fateOf = async ({ type }): Promise<Fate> => {
        if (type === 'ledger.claim') await contract.calls.stop(call);
        return 'served';
      };
      await contract.calls.send(call);
      await contract.expectUnstarted(call, 'Cancelled');
    },
  },
  {
    title: 'ends a call although no orchestrator answers for a while',
    async run(contract) {
      await contract.worker();
      const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 500 });
      await contract.untilStarted(call);
      contract.server.fateOf = () => 'lost';
      await pause(SILENT_MS);
      contract.server.fateOf = () => 'served';
      const { status } = await contract.calls.outcomeOf(call);
      contract.expect('the status', status, 'success');
    },
  },
  {
    title: 'ends a call although its connection broke, and takes calls again',
    async run(contract) {
      const { id } = await contract.worker();
      const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 1_000 });
      await contract.untilStarted(call);
      contract.line.cut();
      await pause(CUT_MS);
      const before = contract.server.announcements.length;
      contract.line.mend();
      const { status, worker } = await contract.calls.outcomeOf(call);
      contract.expect('the status, and who ended it', [status, worker], ['success', id]);
      await until('an offer after the reconnect', () =>
        contract.server.announcements
          .slice(before)
          .some((offer) => offer.worker === id && offer.toolsets.length > 0),
      );
      await afterwards(contract);
      contract.expect('the number of starts', contract.startsOf(call), 1);
    },
  },
  {
    title: 'asks nothing that the ledger cannot read',
    async run(contract) {
      await contract.worker();
      contract.expect('the reasons why requests cannot be read', contract.server.unreadable, []);
    },
  },
  {
    title: 'survives what it cannot read',
    async run(contract) {
      const { id, process } = await contract.worker();
      const { deadLetters } = contract.server;
      const before = deadLetters.length;
      const sent = await contract.calls.sendUnreadable(id);
      await until('the unreadable messages as dead letters', () => deadLetters.length === before + sent);
      await afterwards(contract);
      contract.expect('whether the worker has ended', process.hasEnded, false);
    },
  },
];

/** A worker learns of the end of a pause with its next heartbeats. */
async function runsAgain(contract: ContractRun): Promise<boolean> {
  const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 0 });
  return (await contract.calls.outcomeOf(call)).status === 'success';
}

/** What came before it in the queue has been handled. */
async function afterwards(contract: ContractRun): Promise<void> {
  const call = await contract.calls.make('echo', { text: 'afterwards' }, { class: 'read' });
  await contract.calls.outcomeOf(call);
}

async function late(ms: number): Promise<Fate> {
  await pause(ms);
  return 'served';
}
