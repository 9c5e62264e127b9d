import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'amqplib';
import { beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createMetrics } from '#observability';
import { root } from '../docs/documents.js';
import { say, useTools, type ScriptedReply } from '../fakes/messages-reply.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { Gates } from './gates.js';
import { endCluster } from './end-cluster.js';
import { scrape, untilMoved, type Series } from './scraped-metrics.js';
import { gate, ScriptedProvider } from './scripted-provider.js';
import type { Viewer } from './viewer.js';

/** Metrics that need more than this cluster to move, each with the spec that sees them move. */
const ELSEWHERE = {
  switchyard_calls_held: ['callsHeld', 'test/integration/orchestrator/fair-shares.spec.ts'],
  switchyard_events_dropped_total: ['eventsDropped', 'test/integration/gateway/slow-viewer.spec.ts'],
  switchyard_ledger_drops_total: ['drops_total', 'test/e2e/worker-groups.spec.ts'],
  switchyard_ledger_requests_total: ['requests_total', 'test/e2e/worker-groups.spec.ts'],
  switchyard_mcp_breaker: ['mcpBreaker', 'libs/mcp/hostile-servers.spec.ts'],
  switchyard_model_fallbacks_total: [
    'modelFallbacks',
    'test/integration/orchestrator/model-fallback.spec.ts',
  ],
  switchyard_refusals_total: ['refusals_total', 'test/integration/gateway/unknown-sockets.spec.ts'],
  switchyard_repairs_total: ['repairs', 'test/integration/orchestrator/sweeper.spec.ts'],
  switchyard_scoped_toolset_conflicts_total: [
    'scopedToolsetConflicts',
    'apps/orchestrator/catalogue/scoped-toolsets.spec.ts',
  ],
  switchyard_slow_viewers: ['slowViewers', 'test/integration/gateway/slow-viewer.spec.ts'],
  switchyard_tool_breaking_changes_total: [
    'toolBreakingChanges',
    'test/integration/orchestrator/offer.spec.ts',
  ],
  switchyard_tool_definition_changes_total: [
    'toolDefinitionChanges',
    'test/integration/orchestrator/offer.spec.ts',
  ],
  switchyard_tool_output_problems_total: [
    'toolOutputProblems',
    'test/integration/tool-worker/output-schemas.spec.ts',
  ],
  switchyard_tool_rate_refusals_total: ['toolRateRefusals', 'test/integration/tool-worker/limits.spec.ts'],
  switchyard_unknown_sockets: ['unknown_sockets', 'test/integration/gateway/unknown-sockets.spec.ts'],
} as const;

const MODEL = 'anthropic/claude-sonnet-5-5';
const SETTINGS = {
  models: { [MODEL]: { price: { input: 3, output: 15 }, streams: 1 } },
  tools: { gated: { concurrency: 1 } },
};
const sum = (id: string) => useTools([id, 'math__add', { a: 17, b: 25 }]);
const hold = (name: string) => useTools([name, 'gated__hold', { name }]);

describeWithServices(['rabbitmq', 'mongo'], 'the metrics of a cluster', () => {
  let provider: ScriptedProvider;
  let gates: Gates;
  let cluster: Cluster;
  let before: Series;
  const moved = new Set<string>();

  beforeAll(async () => {
    provider = await ScriptedProvider.start();
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ gated: 'read' }) };
    cluster = await Cluster.start({
      gateways: [{}],
      orchestrators: [provider.env],
      workers: [worker],
      settings: SETTINGS,
    });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);
  endCluster(
    () => cluster,
    () => [provider?.close(), gates?.remove()],
  );
  beforeEach(async () => void (before = await scrape(cluster.all)));

  const expectMoved = async (...expected: string[]): Promise<void> => {
    await untilMoved(() => cluster.all, before, expected);
    for (const series of expected) moved.add(series.replace(/(_(count|bucket))?(\{.*)?$/, ''));
  };
  const ask = async (viewer: Viewer, ...replies: ScriptedReply[]) => {
    provider.answer(...replies);
    return viewer.send('go');
  };
  const finish = async (viewer: Viewer, ...replies: ScriptedReply[]) => {
    const { conversation_id, turn_id } = await ask(viewer, ...replies);
    return viewer.ended(conversation_id, turn_id);
  };

  it('say what the processes are and have', async () => {
    before = new Map();
    const viewer = await cluster.view();
    await finish(viewer, say('Hello.'));
    await expectMoved(
      'switchyard_ready',
      'switchyard_bus_connected',
      'switchyard_bus_takes_messages',
      'switchyard_sockets',
      'switchyard_viewers',
      'switchyard_feeds',
      'switchyard_mcp_server_up{server="gated"}',
      'switchyard_mcp_connections{server="gated"}',
      'switchyard_mcp_connects_total{server="gated",outcome="ok"}',
    );
    const now = await scrape(cluster.all);
    const roles = [...now.keys()].flatMap(
      (name) => /^switchyard_info\{.*role="(\w+)"\}/.exec(name)?.[1] ?? [],
    );
    expect(roles.sort()).toEqual(['gateway', 'orchestrator', 'worker']);
    moved.add('switchyard_info');
  });

  it('count a turn, its model calls, its tool call, and the messages and rows that they took', async () => {
    const usage = { cache_read_input_tokens: 7 };
    await finish(await cluster.view(), { ...sum('toolu_1'), usage }, say('42'));
    await expectMoved(
      'switchyard_turns_started_total',
      'switchyard_turns_ended_total{status="completed",code="none"}',
      'switchyard_turn_duration_seconds_count{status="completed"}',
      'switchyard_turn_first_token_seconds_count',
      'switchyard_step_duration_seconds_count{kind="model"}',
      'switchyard_model_calls_total{provider="anthropic",outcome="ok"}',
      'switchyard_model_first_token_seconds_count{provider="anthropic"}',
      'switchyard_model_tokens_total{provider="anthropic",kind="input"}',
      'switchyard_model_tokens_total{provider="anthropic",kind="output"}',
      'switchyard_model_tokens_total{provider="anthropic",kind="cached"}',
      `switchyard_model_cost_total{model="${MODEL}"}`,
      `switchyard_model_steps_total{model="${MODEL}",kind="model"}`,
      'switchyard_tool_calls_total{toolset="math",outcome="success",error_type="none"}',
      'switchyard_tool_call_duration_seconds_count{toolset="math"}',
      'switchyard_tool_call_wait_seconds_count{toolset="math"}',
      'switchyard_publishes_total{queue="turns",outcome="confirmed"}',
      'switchyard_publishes_total{queue="tools",outcome="confirmed"}',
      'switchyard_deliveries_total{queue="turns",kind="first"}',
      'switchyard_store_operation_seconds_count{kind="read",outcome="ok"}',
      'switchyard_store_operation_seconds_count{kind="insert",outcome="ok"}',
      'switchyard_store_operation_seconds_count{kind="change",outcome="ok"}',
      'switchyard_events_relayed_total',
      'switchyard_snapshots_total{reason="joined"}',
    );
  });

  it('count bad outcomes as well: refused and unknown tools, stopped turns, models that fail', async () => {
    const viewer = await cluster.view();
    const wrong = useTools(['toolu_2', 'math__add', { a: 'one' }], ['toolu_3', 'nope__nope', {}]);
    await finish(viewer, wrong, say('No.'));
    await finish(viewer, { status: 400, message: 'no' });
    const { turn_id } = await ask(viewer, hold('stopped'));
    await gates.started('stopped');
    await viewer.request('stop', { turn_id });
    await expectMoved(
      'switchyard_tool_calls_total{toolset="math",outcome="refused",error_type="ValidationError"}',
      'switchyard_tool_calls_total{toolset="other",outcome="refused",error_type="ToolNotFound"}',
      'switchyard_tool_calls_total{toolset="gated",outcome="cancelled",error_type="Cancelled"}',
      'switchyard_turns_ended_total{status="failed",code="model_error"}',
      'switchyard_turns_ended_total{status="cancelled",code="none"}',
      'switchyard_model_calls_total{provider="anthropic",outcome="invalid"}',
    );
  });

  it('show what runs and what waits', async () => {
    const viewer = await cluster.view();
    await ask(viewer, hold('running'));
    await gates.started('running');
    await expectMoved(
      'switchyard_turns_driven{state="calls"}',
      'switchyard_tool_calls_running{toolset="gated"}',
    );
    const waiting = await ask(viewer, hold('waiting'));
    await expectMoved('switchyard_oldest_waiting_call_seconds{toolset="gated"}');
    before = new Map();
    await expectMoved('switchyard_tool_call_slots{toolset="gated"}');
    const { until, open } = gate();
    await ask(viewer, {
      content: [
        { type: 'hold', until },
        { type: 'text', chunks: ['late'] },
      ],
    });
    await expectMoved('switchyard_turns_driven{state="model"}');
    const second = await ask(viewer, say('after'));
    await expectMoved('switchyard_model_waiting', 'switchyard_model_waits_total{short_of="streams"}');
    open();
    await viewer.ended(second.conversation_id, second.turn_id);
    await expectMoved('switchyard_model_wait_seconds_count');
    provider.answer(say('done'), say('done'));
    gates.open('running');
    gates.open('waiting');
    await viewer.ended(waiting.conversation_id, waiting.turn_id);
    const oldest = (await scrape(cluster.orchestrators)).get(
      'switchyard_oldest_waiting_call_seconds{toolset="gated"}',
    );
    expect(oldest).toBe(0);
  });

  it('count repeated requests to a model', async () => {
    await finish(await cluster.view(), { status: 529, message: 'Overloaded' }, say('Hello.'));
    await expectMoved(
      'switchyard_model_retries_total{provider="anthropic",kind="overloaded"}',
      'switchyard_model_calls_total{provider="anthropic",outcome="overloaded"}',
    );
  });

  it('count keys that were taken, and messages that died', async () => {
    const viewer = await cluster.view();
    const first = await ask(viewer, say('Hello.'));
    await viewer.ended(first.conversation_id, first.turn_id);
    const { conversation_id } = first;
    const taken = 'switchyard_store_duplicates_total{operation="insertTurn"}';
    const takenIn = (series: Series) => series.get(taken) ?? 0;
    // They compete for the next number of a turn; on a busy machine, one may be stored before the next is read.
    do {
      provider.answer(...Array.from({ length: 5 }, () => say('Hello.')));
      await Promise.all(Array.from({ length: 5 }, () => viewer.send('at once', { conversation_id })));
    } while (takenIn(await scrape(cluster.all)) <= takenIn(before));
    const connection = await connect(cluster.broker.url);
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue('turns', Buffer.from('{'), { persistent: true });
    await channel.waitForConfirms();
    await connection.close();
    await expectMoved(taken, 'switchyard_dead_letters_total{queue="turns",reason="rejected"}');
  });

  it('count what broken connections cost', async () => {
    const { management, vhost } = cluster.broker;
    const viewer = await cluster.view();
    const sent = await ask(viewer, hold('cut off'), say('done'));
    await gates.started('cut off');
    await management.closeConnections(vhost);
    await expectMoved(
      'switchyard_bus_reconnects_total{connection="publishing"}',
      'switchyard_bus_reconnects_total{connection="consuming"}',
      'switchyard_bus_reconnects_total{connection="events"}',
      'switchyard_consumer_rebuilds_total{queue="tools"}',
      'switchyard_deliveries_total{queue="tools",kind="redelivered"}',
    );
    gates.open('cut off');
    await viewer.ended(sent.conversation_id, sent.turn_id);
    await expectMoved('switchyard_stale_acks_total{queue="tools"}');
  });

  it('have all moved, here or in the spec that is named', () => {
    const names = createMetrics({ collectDefaults: false }).definitions.map(({ name }) => name);
    const elsewhere = Object.keys(ELSEWHERE);
    expect([...moved, ...elsewhere].sort()).toEqual([...names].sort());
    for (const [key, file] of Object.values(ELSEWHERE))
      expect(readFileSync(join(root, file), 'utf8')).toContain(key);
  });
});
