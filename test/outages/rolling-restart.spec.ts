import { beforeAll, expect, it } from '@jest/globals';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import { Talker } from './steady-load.js';

const TALKERS = 4;
const ROLLING_MS = 400_000;

describeWithServices(['rabbitmq', 'mongo'], 'a rolling restart of all processes under load', () => {
  let gates: Gates;
  let cluster: Cluster;

  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ reads: 'read', effects: 'once' }) };
    cluster = await Cluster.start({ workers: [worker, worker] });
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  /** SIGTERM to the process alone, as a container gets it: its MCP servers are its own to end. */
  const replace = async (ended: SwitchyardProcess): Promise<void> => {
    process.kill(ended.pid, 'SIGTERM');
    expect(await ended.exit).toEqual({ code: 0, signal: null });
    await cluster.end(ended);
    await cluster.startAgain(ended);
  };

  it(
    'loses nothing and shows no error to any viewer',
    async () => {
      const talkers: Talker[] = [];
      for (let number = 0; number < TALKERS; number++) {
        const [own, other] = number % 2 === 0 ? [0, 1] : [1, 0];
        const viewer = await cluster.view(cluster.gateways[own]);
        const reader = await cluster.view(cluster.gateways[other]);
        const talker = new Talker(`talker${number}`, viewer, reader, gates);
        talkers.push(talker);
        talker.start();
      }
      for (const old of [...cluster.gateways, ...cluster.orchestrators, ...cluster.workers]) {
        const before = talkers.map(({ turns }) => turns.length);
        await replace(old);
        const allGoOn = () => talkers.every(({ turns }, at) => turns.length > before[at]! + 1);
        await waitFor(allGoOn, { what: 'two more turns of everybody', timeoutMs: 60_000 });
      }
      await Promise.all(talkers.map((talker) => talker.stop()));

      for (const [at, { turns, viewer, reader, refusals }] of talkers.entries()) {
        expect(refusals).toEqual([]);
        for (const follower of [viewer, reader]) {
          expect(follower.turnedAway).toEqual([]);
          expect(follower.events('error')).toEqual([]);
          expect(follower.events('tool_error')).toEqual([]);
          for (const sent of turns) {
            await follower.ended(sent.conversation_id, sent.turn_id);
            const turn = await checkTranscript(follower, cluster.gateways[at % 2]!, sent);
            expect(turn.status).toBe('completed');
            expect(turn.steps.flatMap(({ calls }) => calls.map(({ state }) => state))).not.toContain(
              'unknown',
            );
          }
        }
      }
      const started = talkers.flatMap(({ turns }) => turns.flatMap(({ gate }) => gate ?? []));
      for (const gate of started) expect({ gate, starts: gates.starts(gate) }).toEqual({ gate, starts: 1 });
    },
    ROLLING_MS,
  );
});
