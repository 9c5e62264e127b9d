import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { format, resolveConfig } from 'prettier';
import { problemsOf } from '../contracts/published-validator.js';
import { root } from '../docs/documents.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import type { WireStep } from './worker-transcript/amqp-tap.js';
import { checkDeclarations, misfitsOf } from './worker-transcript/asyncapi-fit.js';
import { keptSteps } from './worker-transcript/kept-steps.js';
import { readableSteps } from './worker-transcript/readable-steps.js';
import { GROUP, messageOf, recordCalls } from './worker-transcript/record-calls.js';
import {
  readTranscript,
  stepLines,
  TRANSCRIPT,
  writeTranscript,
} from './worker-transcript/transcript-document.js';

const PATH = join(root, TRANSCRIPT);
const RECORDS_MS = 120_000;

/** Names of fields and kinds of values, not the values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]));
}

describeWithServices(['rabbitmq', 'mongo'], TRANSCRIPT, () => {
  let cluster: Cluster;
  let recorded: WireStep[];
  let steps: WireStep[];

  beforeAll(
    async () => {
      const settings = { groups: [GROUP] };
      cluster = await Cluster.start({ gateways: [{}], orchestrators: [{}], workers: [], settings });
      recorded = await recordCalls(cluster);
      steps = readableSteps(keptSteps(recorded));
      if (process.env.UPDATE_GOLDEN !== '1') return;
      const options = { ...(await resolveConfig(PATH)), parser: 'markdown' };
      writeFileSync(PATH, await format(writeTranscript(steps), options));
    },
    serviceStartTimeoutMs + CLUSTER_START_MS + RECORDS_MS,
  );

  endCluster(() => cluster);

  it('has what a real worker and the broker say, in its order (else: npm run transcript)', () => {
    const { lines } = readTranscript(readFileSync(PATH, 'utf8'));
    expect(lines).toEqual(stepLines(steps));
  });

  it('has the fields of the real messages', () => {
    const { messages } = readTranscript(readFileSync(PATH, 'utf8'));
    const real = steps.flatMap((step) => messageOf(step) ?? []);
    expect(messages.map(shapeOf)).toEqual(real.map(shapeOf));
  });

  it('has only messages that keep their schema', () => {
    const { messages } = readTranscript(readFileSync(PATH, 'utf8'));
    const broken = messages.map((message) => [message.type, problemsOf(message.type, message)]);
    expect(broken.filter(([, problems]) => problems!.length > 0)).toEqual([]);
  });

  it('shows a wire on which every message, also one that it leaves out, keeps schema and AsyncAPI', () => {
    expect(recorded.filter(messageOf).length).toBeGreaterThan(20);
    expect(recorded.flatMap((step) => misfitsOf(step))).toEqual([]);
  });

  it('shows queues, bindings and exchanges that are declared as in the AsyncAPI document', async () => {
    await checkDeclarations(recorded, cluster.broker);
  });
});
