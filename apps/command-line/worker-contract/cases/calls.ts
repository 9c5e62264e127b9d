import type { ContractCase } from '../contract-case.js';
import { until } from '../until.js';

/** What every call goes through. */
export const callCases: ContractCase[] = [
  {
    title: 'offers its tools, and again when it is asked',
    async run(contract) {
      const { id } = await contract.worker();
      const { announcements } = contract.server;
      const before = announcements.length;
      await contract.server.rollCall(id);
      const offer = await until('the answer to the roll call', () =>
        announcements.slice(before).find(({ worker }) => worker === id),
      );
      const tools = offer.toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name));
      const expected = ['act', 'ask', 'count', 'echo', 'fail', 'repeat'].map((name) => `contract.${name}`);
      contract.expect('the offer', tools.sort(), expected);
    },
  },
  {
    title: 'claims a call, runs it, and tells how it ended',
    async run(contract) {
      const { id } = await contract.worker();
      const call = await contract.calls.make('echo', { text: 'grüße, \u{1f6b2}' }, { class: 'read' });
      const { status, data, error, worker, attempt } = await contract.calls.outcomeOf(call);
      contract.expect('the status', status, 'success');
      contract.expect('the data', data, { text: 'grüße, \u{1f6b2}' });
      contract.expect('the error', error, null);
      contract.expect('who ended it, and under which attempt', [worker, attempt], [id, 1]);
    },
  },
  {
    title: 'runs calls side by side',
    async run(contract) {
      await contract.worker();
      const files = [1, 2, 3].map(() => contract.newFile());
      const calls = await Promise.all(
        files.map((file) => contract.calls.make('act', { file, wait_ms: 1_500 })),
      );
      await Promise.all(calls.map((call) => contract.untilStarted(call)));
      const ended = files.filter((file) => contract.tracesIn(file).includes('end'));
      contract.expect('the number of calls that ended before all had started', ended.length, 0);
      await Promise.all(calls.map((call) => contract.calls.outcomeOf(call)));
    },
  },
  {
    title: 'tells failures by their types',
    async run(contract) {
      await contract.worker();
      const args = { error_type: 'PermissionError', message: 'Not that.' };
      const call = await contract.calls.make('fail', args, { class: 'read' });
      const { status, error } = await contract.calls.outcomeOf(call);
      contract.expect('the status', status, 'failure');
      contract.expect(
        'the error',
        [error?.error_type, error?.error_message],
        ['PermissionError', 'Not that.'],
      );
    },
  },
  {
    title: 'ends a call although its result is none that the ledger reads',
    async run(contract) {
      await contract.worker();
      const { unreadable } = contract.server;
      const before = unreadable.length;
      const call = await contract.calls.make('fail', { error_type: '', message: 'Odd.' }, { class: 'read' });
      const { status, error } = await contract.calls.outcomeOf(call);
      // A worker may find out by asking.
      unreadable.splice(before);
      contract.expect('the status', status, 'failure');
      contract.expect('the error', error?.error_type, 'ToolExecutionError');
    },
  },
  {
    title: 'refuses arguments that do not fit, without starting',
    async run(contract) {
      await contract.worker();
      const file = contract.newFile();
      const call = await contract.calls.make('act', { file, wait_ms: 'long' });
      await contract.expectUnstarted(call, 'ValidationError');
    },
  },
  {
    title: 'does not start a call after its deadline',
    async run(contract) {
      await contract.worker();
      const call = await contract.calls.make(
        'act',
        { file: contract.newFile(), wait_ms: 0 },
        { deadlineMs: -1_000 },
      );
      const { error } = await contract.calls.outcomeOf(call);
      const details = error?.error_details as { started?: boolean } | undefined;
      contract.expect('the error', [error?.error_type, details?.started], ['TimeoutError', false]);
      contract.expect('the number of starts', contract.startsOf(call), 0);
    },
  },
  {
    title: 'ends a call that takes longer than its timeout',
    async run(contract) {
      await contract.worker();
      const args = { file: contract.newFile(), wait_ms: 20_000 };
      const call = await contract.calls.make('act', args, { timeoutMs: 1_000 });
      const { error } = await contract.calls.outcomeOf(call);
      contract.expect('the error', error?.error_type, 'TimeoutError');
    },
  },
  {
    title: 'tells progress, which is numbered, and lets the timeout begin anew',
    async run(contract) {
      await contract.worker();
      const call = await contract.calls.make(
        'count',
        { to: 3, every_ms: 700 },
        { class: 'read', timeoutMs: 1_500 },
      );
      const { data } = await contract.calls.outcomeOf(call);
      contract.expect('the data', data, { counted: 3 });
      const told = contract.server.events.flatMap((event) =>
        event.type === 'tool_progress' && event.tool_call_id === call.tool_call_id ? [event.progress] : [],
      );
      contract.expect('the progress', told, [1, 2, 3]);
    },
  },
  {
    title: 'leaves a tool that it does not have, and another major version, to others',
    async run(contract) {
      const { process } = await contract.worker();
      const file = contract.newFile();
      const other = await contract.calls.make('act', { file, wait_ms: 0 }, { version: '9.0.0' });
      const missing = await contract.calls.make('nothing', {});
      const after = await contract.calls.make('echo', { text: 'after' }, { class: 'read' });
      await contract.calls.outcomeOf(after);
      const { store } = contract.server.ports;
      for (const call of [other, missing])
        contract.expect('the outcome', await store.getOutcome(call.tool_call_id), null);
      contract.expect('the number of starts', contract.startsOf(other), 0);
      contract.expect('whether the worker has ended', process.hasEnded, false);
    },
  },
  {
    title: 'asks the person, and runs on with the answer',
    async run(contract) {
      await contract.worker();
      for (const [message, isTold] of [
        ['Who?', true],
        ['Who, if nobody tells you of the answer?', false],
      ] as const) {
        const call = await contract.calls.make('ask', { message });
        await contract.calls.answer(call, 'Ann', { isTold });
        const { data } = await contract.calls.outcomeOf(call);
        contract.expect('the data', data, { action: 'accept', name: 'Ann' });
      }
    },
  },
  {
    title: 'stops a call when it is told to',
    async run(contract) {
      await contract.worker();
      const file = contract.newFile();
      const call = await contract.calls.make('act', { file, wait_ms: 9_000 });
      await contract.untilStarted(call);
      await contract.calls.stop(call);
      const { error } = await contract.calls.outcomeOf(call);
      contract.expect('the error', error?.error_type, 'Cancelled');
      contract.expect('what the tool did', contract.tracesIn(file), ['start']);
    },
  },
];
