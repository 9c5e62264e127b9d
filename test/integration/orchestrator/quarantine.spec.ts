import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { z } from 'zod';
import { newMessage } from '#contracts';
import type { ModelPart } from '#llm';
import { defineTool, defineToolset } from '#tools';
import { systemTime } from '#time';
import { waitFor } from '../../services/wait-for.js';
import { FleetHarness, scriptedModel, USAGE } from './fleet-harness.js';

const BLOCK = 'tool:mail.send';
const PAUSED = /^mail\.send is paused by an operator: Version 1\.1\.0 breaks .*: input to was removed\.$/;

let fleet: FleetHarness;
beforeEach(async () => {
  fleet = await FleetHarness.open();
});
afterEach(() => fleet.close());

const hosts = (version: string, input: z.ZodObject) => [
  defineToolset({
    name: 'mail',
    version,
    tools: [
      defineTool({
        ...{ name: 'send', description: 'Sends.', class: 'once', timeoutMs: 5_000 },
        input,
        run: () => 'sent',
      }),
    ],
  }),
];
const old = () => hosts('1.0.0', z.strictObject({ to: z.string() }));
const broken = () => hosts('1.1.0', z.strictObject({}));

/** Calls the tool in its first step. */
const caller = () =>
  scriptedModel(({ messages }): ModelPart[] => {
    const end = { type: 'end' as const, usage: USAGE };
    if (messages.length > 1)
      return [
        { type: 'text', text: 'done' },
        { ...end, stop_reason: 'end_turn' },
      ];
    const call = { type: 'tool_call' as const, name: 'mail__send', arguments: {}, raw: '{}' };
    return [call, { ...end, stop_reason: 'tool_use' }];
  });

async function run() {
  const turn = await fleet.submit('go');
  await fleet.event(turn, 'complete');
  return (await fleet.store.listOutcomes([turn._id]))[0]!;
}

const isBlocked = async () => (await fleet.store.listSwitches()).some(({ _id }) => _id === BLOCK);
const definitions = async () =>
  (await fleet.store.listDefinitions(['mail.send'])).map(({ version, state }) => [version, state]).sort();
const judged = (count: number) =>
  waitFor(async () => (await definitions()).length === count, { what: `${count} judged definitions` });

/** As the switch board of a gateway does. */
async function resume(): Promise<void> {
  const pending = (await fleet.store.listDefinitions(['mail.send'])).map(({ _id }) => _id);
  const by = { accepted_by: 'olga', accepted_at: new Date().toISOString() };
  await fleet.store.acceptDefinitions(pending, by);
  await fleet.store.removeSwitch(BLOCK);
  const bus = await fleet.gateway();
  for (const key of ['orchestrator.all', 'worker.all'] as const)
    await bus.send(key, newMessage(systemTime(), 'switches.changed', {}));
}

it('a breaking change without a new major version blocks its tool, for every orchestrator, until an operator resumes it', async () => {
  const worker = await fleet.startWorker(old());
  const { metrics } = await fleet.startOrchestrator(caller(), { quarantine: true });
  await judged(1);
  expect(await isBlocked()).toBe(false);
  await worker.drain(0);
  await fleet.startWorker(broken());
  await waitFor(isBlocked, { what: 'the quarantine' });
  expect(await definitions()).toEqual([
    ['1.0.0', 'accepted'],
    ['1.1.0', 'pending'],
  ]);
  await waitFor(async () => PAUSED.test((await run()).error?.error_message ?? ''), {
    what: 'the refusal of a call',
  });
  expect(fleet.log.find(({ msg }) => String(msg).startsWith('breaking change'))).toMatchObject({
    ...{ tool: 'mail.send', version: '1.1.0', breaks_version: '1.0.0', breaks: ['input to was removed'] },
  });
  expect((await metrics.toolBreakingChanges.get()).values).toMatchObject([{ value: 1 }]);
  await resume();
  await waitFor(async () => (await run()).status === 'success', { what: 'the end of the quarantine' });
  // An orchestrator that starts judges by the same rows.
  await fleet.startOrchestrator(caller(), { quarantine: true });
  await fleet.startWorker(hosts('1.2.0', z.strictObject({ to: z.string().optional() })));
  await judged(3);
  expect(await isBlocked()).toBe(false);
});

it('a quarantine whose orchestrator died before it blocked the tool is completed by the next one', async () => {
  const worker = await fleet.startWorker(old());
  await fleet.startOrchestrator(caller(), { quarantine: true });
  await judged(1);
  await worker.drain(0);
  await fleet.startWorker(broken());
  await waitFor(isBlocked, { what: 'the quarantine' });
  await fleet.store.removeSwitch(BLOCK);
  await fleet.startOrchestrator(caller(), { quarantine: true });
  await waitFor(isBlocked, { what: 'the quarantine by the other one' });
});

it('a definition that comes back although nobody has accepted it is blocked again, with what it breaks then', async () => {
  const worker = await fleet.startWorker(old());
  await fleet.startOrchestrator(caller(), { quarantine: true });
  await judged(1);
  await worker.drain(0);
  const first = await fleet.startWorker(broken());
  await waitFor(isBlocked, { what: 'the quarantine' });
  // Its workers were taken back, so there is nothing to accept.
  await first.drain(0);
  await fleet.store.removeSwitch(BLOCK);
  await fleet.startWorker(broken());
  await waitFor(isBlocked, { what: 'the quarantine of what came back' });
  await fleet.startWorker(hosts('1.1.1', z.strictObject({ to: z.int() })));
  await waitFor(
    async () =>
      (await fleet.store.listSwitches()).some(({ reason }) => reason?.includes('no longer takes string')),
    { what: 'the newer reason' },
  );
});

it('of many tools their whole toolset is blocked, by one switch', async () => {
  const many = (version: string, input: z.ZodObject) => [
    defineToolset({
      name: 'mail',
      version,
      tools: Array.from({ length: 11 }, (_, i) =>
        defineTool({
          ...{ name: `send_${i}`, description: 'Sends.', class: 'once', timeoutMs: 5_000 },
          input,
          run: () => 'sent',
        }),
      ),
    }),
  ];
  const worker = await fleet.startWorker(many('1.0.0', z.strictObject({ to: z.string() })));
  await fleet.startOrchestrator(caller(), { quarantine: true });
  await waitFor(async () => (await fleet.store.listDefinitions(['mail.send_10'])).length === 1, {
    what: 'the judged definitions',
  });
  await worker.drain(0);
  await fleet.startWorker(many('1.1.0', z.strictObject({})));
  const set = await waitFor(
    async () => ((rows) => (rows.length > 0 ? rows : undefined))(await fleet.store.listSwitches()),
    {
      what: 'the quarantine',
    },
  );
  expect(set).toMatchObject([{ kind: 'toolset', name: 'mail', by: 'quarantine' }]);
});

it('without the setting it is only reported', async () => {
  const worker = await fleet.startWorker(old());
  await fleet.startOrchestrator(caller());
  await judged(1);
  await worker.drain(0);
  await fleet.startWorker(broken());
  await waitFor(() => fleet.log.some(({ msg }) => String(msg).startsWith('breaking change')), {
    what: 'the report',
  });
  expect(await definitions()).toEqual([
    ['1.0.0', 'accepted'],
    ['1.1.0', 'accepted'],
  ]);
  expect(await isBlocked()).toBe(false);
});
