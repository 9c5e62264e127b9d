import { beforeAll, expect, it } from '@jest/globals';
import { say, useTools } from '../fakes/messages-reply.js';
import { OtlpReceiver, type ReceivedSpan } from '../fakes/otlp-receiver.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { Gates } from './gates.js';
import { ScriptedProvider } from './scripted-provider.js';
import { CLIENT_SPAN, tracedPost } from './traced-client.js';

const RUNS = ['execute_tool left.hold', 'execute_tool right.hold'];

describeWithServices(['rabbitmq', 'mongo'], 'the trace of a turn', () => {
  let gates: Gates;
  let provider: ScriptedProvider;
  let receiver: OtlpReceiver;
  let cluster: Cluster;

  beforeAll(async () => {
    [gates, provider, receiver] = await Promise.all([
      Gates.create(),
      ScriptedProvider.start(),
      OtlpReceiver.start(),
    ]);
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
    const orchestrator = { ...traced, ...provider.env };
    cluster = await Cluster.start({
      gateways: [traced],
      orchestrators: [orchestrator, orchestrator],
      settings: { tools: { 'math.add': { approve: 'always' } } },
      workers: [{ ...traced, MCP_CONFIG: await gates.mcpConfig({ left: 'read', right: 'read' }) }],
    });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove(), provider?.close(), receiver?.close()],
  );

  async function submit(content: string) {
    const post = tracedPost(cluster.gateways[0]!.url);
    const { id } = await post('/api/conversations', {});
    const { turn_id } = await post(`/api/conversations/${id}/turns`, { content });
    return { conversation_id: id!, turn_id: turn_id! };
  }

  const spansOf = (turnId: string) =>
    receiver.spans.filter(({ attributes }) => attributes['switchyard.turn.id'] === turnId);
  /** Processes send their spans independently of each other, after what they did. */
  const received = (turnId: string, ...names: string[]) =>
    waitFor(
      () => names.every((name) => countOf(turnId, name) >= names.filter((one) => one === name).length),
      {
        what: `the spans ${names.join(', ')}`,
      },
    );
  const countOf = (turnId: string, name: string) =>
    spansOf(turnId).filter((span) => span.name === name).length;

  it('goes on from the client over both calls, a retry and a killed orchestrator to the end', async () => {
    await cluster.settled();
    provider.answer(
      { status: 529, type: 'overloaded_error', message: 'PLANTED-answer' },
      useTools(
        ['toolu_1', 'left__hold', { name: 'PLANTED-left' }],
        ['toolu_2', 'right__hold', { name: 'PLANTED-right' }],
      ),
      say('PLANTED-answer'),
    );
    const { conversation_id, turn_id } = await submit('PLANTED-question');
    const viewer = await cluster.view();
    await viewer.join(conversation_id);
    await Promise.all([gates.started('PLANTED-left'), gates.started('PLANTED-right')]);
    await received(turn_id, 'step', 'send tools.left', 'send tools.right');
    await cluster.end(await cluster.ownerOf(turn_id));
    await waitFor(async () => (await cluster.store.listClaims(turn_id)).length === 2, {
      what: 'a second driver',
      timeoutMs: 30_000,
    });
    gates.open('PLANTED-left');
    gates.open('PLANTED-right');
    expect(await viewer.ended(conversation_id, turn_id, 30_000)).toMatchObject({ status: 'completed' });
    await received(turn_id, 'accept message', ...RUNS, 'drive turn');

    const spans = spansOf(turn_id);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([CLIENT_SPAN.traceId]));
    const [root, drive] = [spanOf(spans, 'accept message'), spanOf(spans, 'drive turn')];
    expect(root.parentSpanId).toBe(CLIENT_SPAN.spanId);
    expect(treeBelow(spans, CLIENT_SPAN.spanId)).toEqual([
      'accept message',
      '  drive turn, attempt 2: ended',
      '    step 2: model',
      '      chat claude-sonnet-5-5: end_turn',
    ]);
    // The span of the killed driver died with it; its claim names it.
    const [killed] = await cluster.store.listClaims(turn_id);
    const lost = killed!.traceparent!.split('-')[2]!;
    expect(drive.links).toMatchObject([{ traceId: CLIENT_SPAN.traceId, spanId: lost }]);
    expect(treeBelow(spans, lost)).toEqual([
      'step 1: model',
      '  chat claude-sonnet-5-5: failed, overloaded',
      '  chat claude-sonnet-5-5: tool_use',
      '  send tools.left',
      '    execute_tool left.hold, attempt 1',
      '  send tools.right',
      '    execute_tool right.hold, attempt 1',
    ]);
    const runs = RUNS.map((name) => spanOf(spans, name));
    const last = spans.find(({ attributes }) => attributes['switchyard.step'] === 2)!;
    expect(last.links.map(({ spanId }) => spanId).sort()).toEqual(runs.map(({ spanId }) => spanId).sort());
    // What the MCP servers were asked with.
    for (const { name, spanId } of runs) {
      const planted = `PLANTED-${/left|right/.exec(name)![0]}`;
      expect(gates.traceparents(planted)).toEqual([`00-${CLIENT_SPAN.traceId}-${spanId}-01`]);
    }
  }, 90_000);

  it('has the usage of models, the ids of the turn in each span, and nothing that anybody wrote', () => {
    const { attributes } = receiver.spans.find(
      ({ name, hasFailed }) => name.startsWith('chat') && !hasFailed,
    )!;
    expect(attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-sonnet-5-5',
      'gen_ai.request.max_tokens': expect.any(Number),
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.usage.cache_read.input_tokens': 0,
    });
    expect(new Set(receiver.spans.map(({ service }) => service))).toEqual(
      new Set(['switchyard-gateway', 'switchyard-orchestrator', 'switchyard-worker']),
    );
    const ids = receiver.spans.map(({ attributes: all }) => [
      all['switchyard.turn.id'],
      all['gen_ai.conversation.id'],
    ]);
    expect(ids.flat()).not.toContain(undefined);
    expect(receiver.bodies.join('\n')).not.toMatch(/PLANTED/);
  });

  it("begins at the gateway without a client's, and goes on by a link after a person was waited for", async () => {
    provider.answer(useTools(['toolu_3', 'math__add', { a: 2, b: 3 }]), say('5'));
    const viewer = await cluster.view();
    const { conversation_id, turn_id } = await viewer.send('add');
    await received(turn_id, 'drive turn');
    const [call] = viewer.turn(conversation_id, turn_id)!.steps[0]!.calls;
    const approval = { conversation_id, turn_id, tool_call_id: call!.tool_call_id, decision: 'approve' };
    expect(await viewer.request('tool_approval', approval)).toEqual({});
    expect(await viewer.ended(conversation_id, turn_id)).toMatchObject({ status: 'completed' });
    await received(turn_id, 'accept message', 'execute_tool math.add', 'drive turn', 'drive turn');

    const spans = spansOf(turn_id);
    const root = spanOf(spans, 'accept message');
    expect(root.parentSpanId ?? '').toBe('');
    expect(treeBelow(spans, root.spanId)).toEqual([
      'drive turn, attempt 1: parked',
      '  step 1: model',
      '    chat claude-sonnet-5-5: tool_use',
      'drive turn, attempt 2: ended',
      '  send tools.math',
      '    execute_tool math.add, attempt 1',
      '  step 2: model',
      '    chat claude-sonnet-5-5: end_turn',
    ]);
    const [parked, continued] = spans.filter(({ name }) => name === 'drive turn');
    expect(continued!.links).toMatchObject([{ spanId: parked!.spanId }]);
    expect(parked!.links ?? []).toEqual([]);
  }, 60_000);

  it('has the id that log lines and audit records of the turn have', async () => {
    const lines = cluster.all.flatMap(({ log }) =>
      log.split('\n').filter((line) => line.includes('"turn_id"')),
    );
    const traced = lines.map(
      (line) => JSON.parse(line) as { turn_id: string; trace_id?: string; msg: string },
    );
    expect(traced.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['message accepted', 'tool call']));
    for (const { turn_id, trace_id } of traced) expect(trace_id).toBe(spansOf(turn_id)[0]!.traceId);
    expect(cluster.all.map(({ log }) => log).join('\n')).not.toMatch(/PLANTED/);
  });
});

function spanOf(spans: ReceivedSpan[], name: string): ReceivedSpan {
  const found = spans.filter((span) => span.name === name);
  expect(found).toHaveLength(1);
  return found[0]!;
}

/** One line for each span below another one, by name. */
function treeBelow(spans: ReceivedSpan[], parentId: string): string[] {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parentId);
  const trees = children.map((span): [string, ...string[]] => [
    describe(span),
    ...treeBelow(spans, span.spanId).map((line) => `  ${line}`),
  ]);
  return trees.sort(([a], [b]) => (a < b ? -1 : 1)).flat();
}

function describe({ name, attributes, hasFailed }: ReceivedSpan): string {
  const step = attributes['switchyard.step'];
  const attempt = attributes['switchyard.claim.attempt'];
  const told = [
    attributes['switchyard.drive.end'],
    attributes['switchyard.step.kind'],
    attributes['gen_ai.response.finish_reasons'],
    ...(hasFailed ? [`failed, ${String(attributes['error.type'])}`] : []),
  ].filter((part) => part !== undefined);
  const named = [step === undefined ? name : `${name} ${String(step)}`];
  if (attempt !== undefined) named.push(`attempt ${String(attempt)}`);
  return [named.join(', '), ...told.map(String)].join(': ');
}
