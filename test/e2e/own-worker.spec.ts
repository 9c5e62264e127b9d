import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { z } from 'zod';
import { defineTool } from '#tools';
import { startSpan } from '#tracing';
import { createToolWorker } from '../../apps/tool-worker/create-tool-worker.js';
import { root } from '../docs/documents.js';
import { Child } from '../services/child.js';
import { findFreePort } from '../services/free-port.js';
import { startProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { checkTranscript } from './transcript-check.js';

/** Of somebody else's repository, with Switchyard among its packages. */
const SHOUT = `import { defineTool, partly, PermissionError, unchanged, z } from 'switchyard/tools';
const copy = defineTool({
  name: 'copy',
  description: 'Copies.',
  input: z.strictObject({ files: z.number().refine((n) => n < 100, 'too many') }),
  class: 'read',
  timeoutMs: 5_000,
  run: ({ files }) => {
    if (files === 0) return unchanged('There is nothing to copy.');
    if (files < 0) throw new PermissionError('Not that way.');
    return partly({ copied: files }, new PermissionError('Two were hidden.'), 'Copied some.');
  },
});
const shout = defineTool({
  name: 'shout',
  description: 'Writes a text in capital letters.',
  input: z.strictObject({ text: z.string() }),
  class: 'read',
  timeoutMs: 5_000,
  run: ({ text }, { userId }) => text.toUpperCase() + ' by ' + userId,
});
const count = defineTool({
  name: 'count',
  description: 'Counts letters.',
  input: z.strictObject({ text: z.string() }),
  output: z.object({ letters: z.number() }),
  class: 'read',
  timeoutMs: 5_000,
  run: ({ text }) => ({ letters: text === '' ? 'none' : text.length }),
});
export default [copy, count, shout];`;

describeWithServices(['rabbitmq', 'mongo'], 'a fleet with an external tool worker', () => {
  let cluster: Cluster;
  let elsewhere: string;
  beforeAll(async () => {
    elsewhere = mkdtempSync(join(tmpdir(), 'switchyard-elsewhere-'));
    mkdirSync(join(elsewhere, 'node_modules'));
    symlinkSync(root, join(elsewhere, 'node_modules', 'switchyard'));
    cluster = await Cluster.start({ gateways: [{}], orchestrators: [{}], workers: [] });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [rm(elsewhere, { recursive: true, force: true })],
  );

  const offered = async (): Promise<string> => {
    const response = await fetch(`${cluster.gateways[0]!.url}/api/tools`);
    return JSON.stringify(await response.json());
  };
  const isOffered = (tool: string, expected = true) =>
    waitFor(async () => (await offered()).includes(tool) === expected, {
      what: `${tool}: ${expected}`,
      // A process has to start first.
      timeoutMs: 30_000,
    });

  const ask = async (question: string) => {
    const ann = await cluster.view();
    const sent = await ann.send(question);
    await ann.ended(sent.conversation_id, sent.turn_id);
    await checkTranscript(ann, cluster.gateways[0]!, sent);
    return ann.turn(sent.conversation_id, sent.turn_id)!.steps[0]!.calls[0]!;
  };

  it('the example worker, the only one, runs calls until it is told to stop', async () => {
    const { RABBITMQ_URL, MONGODB_URL } = {
      RABBITMQ_URL: cluster.broker.url,
      MONGODB_URL: cluster.mongodbUrl,
    };
    const OPS_PORT = String(await findFreePort());
    const worker = new Child('example worker', process.execPath, ['examples/tool-worker/worker.mjs'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', RABBITMQ_URL, MONGODB_URL, OPS_PORT },
    });
    await isOffered('weather.forecast');
    expect(await offered()).not.toContain('math.add');
    const said = () => /^(worker-\S+) takes calls/m.exec(worker.log);
    const [, id] = await waitFor(said, { what: 'the worker to say its name' });
    expect(await ask('call weather__forecast with {"city":"Oslo"}')).toMatchObject({
      state: 'succeeded',
      result: 'Oslo: snow, -3 °C',
      worker: id,
    });
    expect(await ask('call weather__forecast with {"city":"Atlantis"}')).toMatchObject({
      state: 'failed',
      error: { error_type: 'ResourceNotFound' },
    });
    const metrics = await (await fetch(`http://127.0.0.1:${OPS_PORT}/metrics`)).text();
    expect(metrics).toContain('switchyard_bus_connected 1');
    expect(metrics).toMatch(/switchyard_info\{version=".+",role="worker"\} 1/);
    const calls = /switchyard_tool_calls_total\{toolset="weather",outcome="(.+)",error_type="(.+)"\} 1/g;
    expect([...metrics.matchAll(calls)].map(([, ...labels]) => labels)).toEqual([
      ['success', 'none'],
      ['failure', 'ResourceNotFound'],
    ]);
    const load = async () => {
      const rows = await cluster.store.listProcesses();
      return rows.find(({ _id }) => _id === id)?.load?.toolsets?.weather;
    };
    await waitFor(async () => (await load())?.per_second, { what: 'a beat that tells the pace' });
    expect(await load()).toMatchObject({ running: 0, slots: 16 });
    process.kill(worker.pid, 'SIGTERM');
    expect(await worker.exit).toEqual({ code: 0, signal: null });
    await isOffered('weather.forecast', false);
    expect((await cluster.store.listProcesses()).map(({ _id }) => _id)).not.toContain(id);
  }, 60_000);

  it('an embedded worker sends the spans of its calls to the tracer of its program, until it stops', async () => {
    const exporter = new InMemorySpanExporter();
    const spans = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    const run = () => 'hello';
    const about = { name: 'hello', description: 'Says hello.', class: 'read', timeoutMs: 5_000 } as const;
    const worker = createToolWorker({
      tools: { embedded: [defineTool({ ...about, input: z.strictObject({}), run })] },
      rabbitmqUrl: cluster.broker.url,
      mongodbUrl: cluster.mongodbUrl,
      logLevel: 'error',
      tracer: spans.getTracer('program'),
    });
    await worker.start();
    await isOffered('embedded.hello');
    const { tool_call_id } = await ask('call embedded__hello with {}');
    expect(exporter.getFinishedSpans()).toMatchObject([
      {
        name: 'execute_tool embedded.hello',
        attributes: { 'gen_ai.tool.call.id': tool_call_id, 'switchyard.process.id': worker.id },
      },
    ]);
    await worker.stop(0);
    expect(startSpan('afterwards', {}).traceparent).toBeUndefined();
  }, 60_000);

  it('a worker takes tools from files of another repository, and remembers facts of a user across conversations', async () => {
    const TOOLS_DIR = join(elsewhere, 'tools');
    mkdirSync(TOOLS_DIR);
    writeFileSync(join(TOOLS_DIR, 'text.tool.mjs'), SHOUT);
    await cluster.add('tool-worker', { TOOLS_DIR, TOOLSETS: 'text,memory' });
    await isOffered('text.shout');
    expect(await ask('call text__shout with {"text":"hello"}')).toMatchObject({ result: 'HELLO by local' });
    const copy = (files: number) => ask(`call text__copy with {"files":${files}}`);
    expect(await copy(0)).toMatchObject({ status: 'no_change_needed', result: 'There is nothing to copy.' });
    expect(await copy(3)).toMatchObject({
      status: 'partial_success',
      result: '{"copied":3}\nCopied some.\nPermissionError: Two were hidden.',
    });
    // The worker's bundle has another copy of the errors than the file's import.
    expect(await copy(-1)).toMatchObject({ state: 'failed', error: { error_type: 'PermissionError' } });
    expect(await copy(100)).toMatchObject({
      error: { error_type: 'ValidationError', error_message: 'files: too many' },
    });
    const counted = await ask('call text__count with {"text":"four"}');
    expect([counted.result, counted.explanation]).toEqual(['{"letters":4}', undefined]);
    expect(await ask('call text__count with {"text":""}')).toMatchObject({
      ...{ state: 'succeeded', result: '{"letters":"none"}' },
      explanation: 'The result breaks the output schema of its tool: letters must be number.',
    });
    await ask('call memory__remember with {"key":"cat","text":"my cat is called Tom"}');
    const recalled = await ask('call memory__recall with {"query":"my cat"}');
    expect(recalled).toMatchObject({ tool_name: 'memory.recall', state: 'succeeded' });
    expect(recalled.result).toContain('my cat is called Tom');
  }, 60_000);

  it('a worker does not start with a broken file, and names it', async () => {
    const TOOLS_DIR = join(elsewhere, 'broken');
    mkdirSync(TOOLS_DIR);
    writeFileSync(join(TOOLS_DIR, 'half.tool.mjs'), 'export default {');
    const env = { RABBITMQ_URL: cluster.broker.url, MONGODB_URL: cluster.mongodbUrl, TOOLS_DIR };
    const started = await startProcess('tool-worker', env, { waitUntilReady: false });
    expect((await started.exit).code).toBe(1);
    expect(started.log).toContain(`${join(TOOLS_DIR, 'half.tool.mjs')}: SyntaxError`);
    expect(started.log).not.toMatch(/^\s+at /m);
  }, 60_000);
});
