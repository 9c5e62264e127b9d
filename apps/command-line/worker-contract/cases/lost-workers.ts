import type { ToolCallBody, ToolClass } from '#contracts';
import { timestampOf } from '#time';
import type { ContractCase } from '../contract-case.js';
import type { ContractRun } from '../contract-run.js';
import { until } from '../until.js';

const OTHER = 'worker-contract--another';

/** Workers are replaced, killed, and counted as dead. */
export const lostWorkerCases: ContractCase[] = [
  {
    title: 'runs a call of a lost worker again if its class allows it, as the next attempt',
    async run(contract) {
      const { id } = await contract.worker();
      const call = await afterAnother(contract, 'repeat', 'idempotent');
      const { status, worker, attempt } = await contract.calls.outcomeOf(call);
      contract.expect('the outcome', [status, worker, attempt], ['success', id, 2]);
      contract.expect('the number of starts', contract.startsOf(call), 1);
    },
  },
  {
    title: 'does not run a call of class once that a lost worker may have run',
    async run(contract) {
      await contract.worker();
      const call = await afterAnother(contract, 'act', 'once');
      await contract.expectUnstarted(call, 'OutcomeUnknown', contract.calls.drivenOutcomeOf(call));
    },
  },
  {
    title: 'leaves a call to the worker that has claimed it and lives',
    async run(contract) {
      await contract.worker();
      const { store, me } = contract.server.ports;
      const call = await afterAnother(contract, 'repeat', 'idempotent', me);
      const after = await contract.calls.make('echo', { text: 'after' }, { class: 'read' });
      await contract.calls.outcomeOf(after);
      await until('the question whether it may be claimed again', () =>
        contract.server.requests.some(
          ({ type, body }) => type === 'ledger.judge' && body.call.tool_call_id === call.tool_call_id,
        ),
      );
      contract.expect('the outcome', await store.getOutcome(call.tool_call_id), null);
      contract.expect('the number of starts', contract.startsOf(call), 0);
    },
  },
  ...(['once', 'idempotent'] as const).map((toolClass): ContractCase => ({
    title: `is killed in a call of class ${toolClass}: another one ${toolClass === 'once' ? 'tells that nobody knows' : 'runs it again'}`,
    async run(contract) {
      const killed = await contract.worker();
      const other = await contract.startWorker();
      const tool = toolClass === 'once' ? 'act' : 'repeat';
      const call = await contract.calls.commit(
        tool,
        { file: contract.newFile(), wait_ms: 1_500 },
        { class: toolClass },
      );
      // Either may take it.
      await contract.calls.send(call);
      await contract.untilStarted(call);
      const owner = await contract.calls.ownerOf(call);
      await contract.end(owner === killed.id ? killed : other, 'SIGKILL');
      const { status, error, attempt } = await contract.calls.drivenOutcomeOf(call);
      if (toolClass === 'once') contract.expect('the error', error?.error_type, 'OutcomeUnknown');
      else contract.expect('the outcome', [status, attempt], ['success', 2]);
      contract.expect('the number of starts', contract.startsOf(call), toolClass === 'once' ? 1 : 2);
    },
  })),
  {
    title: 'is drained: ends the call that it runs, leaves, and exits with 0',
    async run(contract) {
      const worker = await contract.worker();
      const call = await contract.calls.make('act', { file: contract.newFile(), wait_ms: 2_000 });
      await contract.untilStarted(call);
      const { code } = await contract.end(worker, 'SIGTERM');
      contract.expect('the exit code', code, 0);
      const { store } = contract.server.ports;
      const outcome = await store.getOutcome(call.tool_call_id);
      contract.expect('the status', outcome?.status, 'success');
      const rows = await store.listProcesses();
      contract.expect(
        'whether it is still in the fleet',
        rows.some(({ _id }) => _id === worker.id),
        false,
      );
      await until('its withdrawal', () => contract.server.withdrawn.includes(worker.id));
      contract.expect('the messages that it did not acknowledge', await contract.unacknowledged(), 0);
    },
  },
  {
    title: 'exits when others count it as dead',
    async run(contract) {
      const worker = await contract.worker();
      await contract.server.ports.store.removeProcess(worker.id);
      const exit = await until('its exit', () => worker.process.hasEnded && worker.process.exit);
      if (exit.code === 0) contract.expect('the exit code', 0, 1);
    },
  },
];

/** A call that another process has claimed. */
async function afterAnother(
  contract: ContractRun,
  tool: string,
  toolClass: ToolClass,
  owner = OTHER,
): Promise<ToolCallBody> {
  const call = await contract.calls.commit(
    tool,
    { file: contract.newFile(), wait_ms: 0 },
    { class: toolClass },
  );
  const { turn_id, conversation_id, tool_call_id } = call;
  const { ports } = contract.server;
  const at = timestampOf(ports.clock);
  const place = { turn_id, conversation_id, owner, n: 1, purpose: 'run', at } as const;
  await ports.store.claim({ _id: `${tool_call_id}:1`, ...place });
  await contract.calls.send(call);
  return call;
}
