import type { ToolCallBody } from '#contracts';
import type { ContractCase } from '../contract-case.js';
import type { ContractRun, Worker } from '../contract-run.js';
import { until } from '../until.js';

const OLD = '1.0.0';
const NEW = '2.0.0';
const CALLS_OF_EACH = 6;

/** Calls made for one version of a tool meet workers that have another one, as in a rolling update. */
export const versionCases: ContractCase[] = [
  {
    title: 'runs calls for another minor version, and calls without a version',
    async run(contract) {
      const { id } = await contract.worker();
      for (const version of ['1.7.3', undefined]) {
        const options = { class: 'read', ...(version !== undefined && { version }) } as const;
        const call = await contract.calls.make('echo', { text: 'any' }, options);
        const { status, worker } = await contract.calls.outcomeOf(call);
        contract.expect(`the outcome for version ${version}`, [status, worker], ['success', id]);
      }
    },
  },
  {
    title: 'leaves a call for another major version although its arguments do not fit, or it is late',
    async run(contract) {
      await contract.worker();
      const args = { path: contract.newFile() };
      const unfit = await contract.calls.make('act', args, { version: NEW });
      const late = await contract.calls.make('act', args, { version: NEW, deadlineMs: -1_000 });
      const after = await contract.calls.make('echo', { text: 'after' }, { class: 'read' });
      await contract.calls.outcomeOf(after);
      for (const call of [unfit, late]) await expectLeft(contract, call);
    },
  },
  {
    title: 'shares its queue with workers of another major version: each runs only the calls for its own',
    async run(contract) {
      const old = await contract.worker();
      await withNewWorker(contract, async (recent) => {
        const commit = async (version: string, worker: Worker) => {
          const args = { file: contract.newFile(), wait_ms: 0 };
          return { call: await contract.calls.commit('act', args, { version }), worker: worker.id };
        };
        // Not by turns: the broker gives each worker every second call.
        const made = [OLD, NEW].flatMap((version) =>
          Array.from({ length: CALLS_OF_EACH }, () => commit(version, version === OLD ? old : recent)),
        );
        const calls = await Promise.all(made);
        await Promise.all(calls.map(({ call }) => contract.calls.sendUntilClaimed(call)));
        for (const { call, worker } of calls) {
          const outcome = await contract.calls.outcomeOf(call);
          const found = [outcome.status, outcome.worker, ...askersAbout(contract, call)];
          contract.expect('the outcome, and who asked about the call', found, ['success', worker, worker]);
          contract.expect('the number of starts', contract.startsOf(call), 1);
        }
      });
    },
  },
  {
    title:
      'is drained while its successor of another major version lives: ends its call, and leaves no other',
    async run(contract) {
      const old = await contract.worker();
      await withNewWorker(contract, async (recent) => {
        const running = await contract.calls.commit(
          'act',
          { file: contract.newFile(), wait_ms: 2_000 },
          { version: OLD },
        );
        await contract.calls.sendUntilClaimed(running);
        await contract.untilStarted(running);
        const ended = contract.end(old, 'SIGTERM');
        await until('its withdrawal', () => contract.server.withdrawn.includes(old.id));
        contract.expect('the exit code', (await ended).code, 0);
        const { status, worker } = await contract.calls.outcomeOf(running);
        contract.expect('the outcome of its call', [status, worker], ['success', old.id]);
        await expectOnlyItsOwn(contract, recent);
      });
      contract.expect('the messages that both did not acknowledge', await contract.unacknowledged(), 0);
    },
  },
];

/** With a worker whose tools have the next major version, which ends afterwards. */
async function withNewWorker(contract: ContractRun, run: (worker: Worker) => Promise<void>): Promise<void> {
  const recent = await contract.startWorker({ CONTRACT_VERSION: NEW });
  try {
    const offer = contract.server.announcements.findLast(({ worker }) => worker === recent.id);
    const versions = new Set(offer?.toolsets.flatMap(({ tools }) => tools.map(({ version }) => version)));
    contract.expect('the versions that it offers with CONTRACT_VERSION=2.0.0', [...versions], [NEW]);
    await run(recent);
  } finally {
    await contract.end(recent, 'SIGTERM');
  }
}

/** No worker of the old version lives: a call for it is left to the orchestrators, which end it. */
async function expectOnlyItsOwn(contract: ContractRun, { id }: Worker): Promise<void> {
  const make = (version: string) =>
    contract.calls.make('act', { file: contract.newFile(), wait_ms: 0 }, { version });
  const left = await make(OLD);
  const own = await make(NEW);
  const { status, worker } = await contract.calls.outcomeOf(own);
  contract.expect('the outcome of a call for the new version', [status, worker], ['success', id]);
  await expectLeft(contract, left);
}

/** Fails the case when a worker asked anything about the call, started it, or rejected it. */
async function expectLeft(contract: ContractRun, call: ToolCallBody): Promise<void> {
  contract.expect('the requests about a call for another major version', askersAbout(contract, call), []);
  contract.expect('the number of starts', contract.startsOf(call), 0);
  const { ports, deadLetters } = contract.server;
  contract.expect('the outcome', await ports.store.getOutcome(call.tool_call_id), null);
  const isRejected = deadLetters.some((letter) => letter.includes(call.tool_call_id));
  contract.expect('whether it was rejected', isRejected, false);
}

/** The workers that asked the ledger something about the call. */
function askersAbout({ server }: ContractRun, { tool_call_id }: ToolCallBody): string[] {
  const askers = server.requests.flatMap(({ body }) =>
    'call' in body && body.call.tool_call_id === tool_call_id ? [body.worker] : [],
  );
  return [...new Set(askers)];
}
