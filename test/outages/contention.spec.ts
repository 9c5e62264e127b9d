import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { controlKey, newMessage } from '#contracts';
import { noFaults } from '#faults';
import { carryOut, type Ports } from '#journal';
import { createRabbitmqBus, type Bus } from '#messaging';
import { systemTime } from '#time';
import {
  describeWithServices,
  mongoForTest,
  rabbitmqForTest,
  serviceStartTimeoutMs,
} from '../services/test-services.js';
import { CLUSTER_START_MS, type Cluster } from '../e2e/cluster.js';
import { Gates } from '../e2e/gates.js';
import { removeFolders } from '../e2e/standalone-process.js';
import { checkTranscript } from '../e2e/transcript-check.js';
import type { Viewer } from '../e2e/viewer.js';
import { startOutageCluster } from './outage-cluster.js';
import type { Sent } from './workload.js';

const CLIENTS_PER_GATEWAY = 8;
const ENDED_MS = 60_000;
const TEST_MS = 120_000;

describeWithServices(['rabbitmq', 'mongo'], 'several clients or processes that do the same at once', () => {
  let gates: Gates;
  let cluster: Cluster;
  let bus: Bus;
  let crowd: Viewer[];

  beforeAll(async () => {
    const [rabbitmq, mongo] = await Promise.all([rabbitmqForTest(), mongoForTest()]);
    gates = await Gates.create();
    const services = { rabbitmqUrl: rabbitmq!.url, mongodbUrl: mongo!.url };
    cluster = await startOutageCluster(gates, { services });
    bus = createRabbitmqBus({
      ...systemTime(),
      url: rabbitmq!.url,
      role: 'orchestrator',
      processId: 'orchestrator-test',
    });
    await bus.open();
    const doors = cluster.gateways.flatMap((gateway) =>
      Array<typeof gateway>(CLIENTS_PER_GATEWAY).fill(gateway),
    );
    crowd = await Promise.all(doors.map((gateway) => cluster.view(gateway)));
  }, serviceStartTimeoutMs + CLUSTER_START_MS);

  afterEach(() => expect(cluster?.errors).toEqual([]));

  afterAll(async () => {
    await bus?.close();
    await cluster?.stop();
    await Promise.all([gates?.remove(), removeFolders()]);
  });

  const expectEnded = async (sent: Sent): Promise<void> => {
    const [viewer] = crowd;
    await viewer!.join(sent.conversation_id);
    const turn = await viewer!.ended(sent.conversation_id, sent.turn_id, ENDED_MS);
    expect(turn.status).toBe('completed');
    await checkTranscript(viewer!, cluster.gateways[1]!, sent);
  };

  it(
    'send one message: all of them are told of the same turn, which is driven once',
    async () => {
      const message = { content: 'call acts__hold with {"name":"one"}', client_message_id: randomUUID() };
      gates.open('one');
      const answers = await Promise.all(
        [...crowd, ...crowd].map((viewer) => viewer.request('message', message, 30_000)),
      );
      const [first] = answers as unknown as Sent[];
      expect(answers).toEqual(answers.map(() => first));
      await expectEnded(first!);
      expect(await cluster.store.listTurns(first!.conversation_id, { limit: 10 })).toHaveLength(1);
      expect(gates.starts('one')).toBe(1);
    },
    TEST_MS,
  );

  it(
    'send messages into one conversation: all are accepted, numbered and answered',
    async () => {
      const { conversation_id } = await crowd[0]!.send('say hello');
      const sent = await Promise.all(
        crowd.map((viewer, index) => viewer.send(`say ${index}`, { conversation_id })),
      );
      const turns = await cluster.store.listTurns(conversation_id, { limit: 100 });
      expect(turns.map(({ number }) => number)).toEqual(
        Array.from({ length: crowd.length + 1 }, (_, i) => i + 1),
      );
      expect(new Set(sent.map(({ turn_id }) => turn_id))).toEqual(
        new Set(turns.slice(1).map(({ _id }) => _id)),
      );
      for (const each of sent) await expectEnded(each);
    },
    TEST_MS,
  );

  it(
    'receive one hint and one call: one orchestrator drives the turn, one worker starts the tool',
    async () => {
      const sent = await crowd[0]!.send('call acts__hold with {"name":"storm"}');
      await gates.started('storm');
      const journal = (await cluster.store.readJournal(sent.turn_id))!;
      const [step] = journal.steps;
      const part = { store: cluster.store, bus, me: journal.claims[0]!.owner, faultPoint: noFaults };
      const ports = { ...part, ...systemTime() } as Partial<Ports> as Ports;
      const hint = newMessage(systemTime(), 'turn.advance', sent);
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          await carryOut(ports, journal, { step: step!, call: step!.calls[0]!, action: { do: 'publish' } });
          await bus.publish('turns', hint);
          await bus.send(controlKey(ports.me), hint);
        }),
      );
      gates.open('storm');
      await expectEnded(sent);
      const { claims, outcomes } = (await cluster.store.readJournal(sent.turn_id))!;
      expect(claims.map(({ n }) => n)).toEqual([1, 1]);
      expect(outcomes.map(({ status, attempt }) => [status, attempt])).toEqual([['success', 1]]);
      expect(gates.starts('storm')).toBe(1);
    },
    TEST_MS,
  );

  it(
    'stop one turn: all of them are answered, and it ends once',
    async () => {
      const sent = await crowd[0]!.send('count to 2000');
      await crowd[0]!.reads(sent.conversation_id, sent.turn_id, 50);
      const answers = await Promise.all(
        crowd.map((viewer) => viewer.request('stop', { turn_id: sent.turn_id }, 30_000)),
      );
      expect(answers).toEqual(crowd.map(() => ({ may_be_running: [] })));
      expect((await crowd[0]!.ended(sent.conversation_id, sent.turn_id)).status).toBe('cancelled');
      const { steps } = (await cluster.store.readJournal(sent.turn_id))!;
      expect(steps.map(({ kind }) => kind)).toEqual(['cancel']);
      await checkTranscript(crowd[0]!, cluster.gateways[1]!, sent);
    },
    TEST_MS,
  );
});
