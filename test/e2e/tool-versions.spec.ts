import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { root } from '../docs/documents.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';

const fileOf = (version: string) => `import { defineTool, z } from 'switchyard/tools';
const about = { description: 'Says its version.', class: 'read', timeoutMs: 5_000, version: '${version}' };
const input = z.strictObject({});
const run = () => 'made by ${version}';
export default ['say', 'ask'].map((name) => defineTool({ ...about, name, input, run }));`;

describeWithServices(['rabbitmq', 'mongo'], 'a fleet in which a tool gets a new major version', () => {
  let cluster: Cluster;
  let folder: string;
  let old: SwitchyardProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-versions-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules', 'switchyard'));
    cluster = await Cluster.start({
      gateways: [{}],
      orchestrators: [{}],
      workers: [],
      settings: { tools: { 'lab.ask': { approve: 'always' } } },
    });
    old = await startWorker('1.2.0');
    await startWorker('2.0.0');
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [rm(folder, { recursive: true, force: true })],
  );

  function startWorker(version: string): Promise<SwitchyardProcess> {
    const TOOLS_DIR = join(folder, version);
    mkdirSync(TOOLS_DIR);
    writeFileSync(join(TOOLS_DIR, 'lab.tool.mjs'), fileOf(version));
    return cluster.add('tool-worker', { TOOLS_DIR, TOOLSETS: 'lab' });
  }

  const isOffered = (version: string) =>
    waitFor(
      async () => {
        const listed = await (await fetch(`${cluster.gateways[0]!.url}/api/tools`)).text();
        return listed.includes(`"${version}"`);
      },
      { what: `lab ${version}`, timeoutMs: 30_000 },
    );

  const ask = async (question: string) => {
    const ann = await cluster.view();
    const sent = await ann.send(question);
    await ann.ended(sent.conversation_id, sent.turn_id, 30_000);
    return ann.turn(sent.conversation_id, sent.turn_id)!.steps[0]!.calls[0]!;
  };

  it('refuses no call of the old version while one worker has it, and then offers the new one', async () => {
    await isOffered('1.2.0');
    const calls = await Promise.all(Array.from({ length: 8 }, () => ask('call lab__say with {}')));
    expect(calls.map(({ result }) => result)).toEqual(calls.map(() => 'made by 1.2.0'));
    expect(new Set(calls.map(({ worker }) => worker)).size).toBe(1);

    const ann = await cluster.view();
    const waiting = await ann.send('call lab__ask with {}');
    const callOf = () => ann.turn(waiting.conversation_id, waiting.turn_id)?.steps[0]?.calls[0];
    await waitFor(() => callOf()?.state === 'awaiting_approval', { what: 'the approval' });
    await cluster.end(old, 'SIGTERM');
    await isOffered('2.0.0');
    const { tool_call_id } = callOf()!;
    const approval = { ...waiting, tool_call_id, decision: 'approve' };
    expect(await ann.request('tool_approval', approval)).toEqual({});
    await ann.ended(waiting.conversation_id, waiting.turn_id, 30_000);
    expect(callOf()).toMatchObject({
      state: 'failed',
      attempt: 0,
      error: {
        error_type: 'DependencyUnavailable',
        error_message: expect.stringMatching(/^lab\.ask 1\.2\.0 is gone/),
      },
    });
    expect(await ask('call lab__say with {}')).toMatchObject({ result: 'made by 2.0.0' });
    const records = await waitFor(
      async () => {
        const kept = await cluster.store.listAuditRecords({ tool: 'lab.say', limit: 20 });
        return kept.length === 9 ? kept : undefined;
      },
      { what: 'the audit records' },
    );
    expect(records.map(({ version }) => version).sort()).toEqual([...calls.map(() => '1.2.0'), '2.0.0']);
  }, 120_000);
});
