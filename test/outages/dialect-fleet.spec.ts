import { beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { DIALECT_NAMES } from '../../apps/gateway/dialects/dialects.js';
import { GenesisClient } from '../integration/dialects/genesis-client.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from '../e2e/cluster.js';
import { DIALECT_CLIENTS, followGenesis } from '../e2e/dialect-clients.js';
import { DIALECTS, DialectQuestions, type Asking } from '../e2e/dialect-questions.js';
import { endCluster } from '../e2e/end-cluster.js';
import { Gates } from '../e2e/gates.js';
import { numbersTo } from '../e2e/numbers.js';
import { expectOffered } from './meanwhile.js';

/*
 * The same thing happens to a request of each dialect at once. What each client was told is compared with the journal:
 * its own copy of the answer must be the one that is kept.
 */

const TEST_MS = 150_000;
const PATIENCE_MS = 40_000;
/** Every orchestrator gets every second turn, more or less. */
const MAX_TRIES = 8;
/** Words come so slowly that all of them are in the middle of it at once. */
const COUNTED = 120;
const withKeys = DIALECTS.filter((name) => DIALECT_CLIENTS[name]!.hasKeys);
const withoutKeys = DIALECTS.filter((name) => !withKeys.includes(name));

describeWithServices(['rabbitmq', 'mongo'], 'every dialect on several processes', () => {
  let gates: Gates;
  let cluster: Cluster;
  let questions: DialectQuestions;
  let holding: Record<string, string>;

  beforeAll(async () => {
    gates = await Gates.create();
    holding = { MCP_CONFIG: await gates.mcpConfig({ repeats: 'idempotent' }), TOOLSETS: 'repeats' };
    cluster = await Cluster.start({ workers: [holding] });
    questions = new DialectQuestions(cluster, gates);
    // MCP servers connect after their worker is ready.
    await expectOffered(cluster.gateways, ['repeats']);
  }, serviceStartTimeoutMs + CLUSTER_START_MS);
  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  it('covers every dialect', () => expect([...DIALECTS].sort()).toEqual([...DIALECT_NAMES].sort()));

  it(
    'two requests at once in one conversation, at two gateways, get their own answers, one after the other',
    async () => {
      const askTwice = async (dialect: string): Promise<Asking[]> => {
        const place = await questions.newPlace();
        const say = (i: number) => ({ place, key: `key-${i}`, content: `say “number ${i} of ${dialect}”` });
        return Promise.all(cluster.gateways.map((gateway, i) => questions.askIn(dialect, say(i), gateway)));
      };
      for (const both of await Promise.all(DIALECTS.map(askTwice))) {
        for (const [i, one] of both.entries()) {
          await questions.expectAnswered(one, { text: `number ${i} of ${one.dialect}`, calls: [] });
          expect((await one.asked.told).text).not.toContain(`number ${1 - i}`);
        }
        const [first, second, ...more] = await questions.turnsOf(both[0]!);
        expect([first!.number, second!.number, more]).toEqual([1, 2, []]);
        expect(Date.parse(second!.started_at!)).toBeGreaterThanOrEqual(Date.parse(first!.ended_at!));
      }
    },
    TEST_MS,
  );

  it(
    'the same question at once at two gateways is one turn where questions have keys',
    async () => {
      const askTwice = async (dialect: string): Promise<Asking[]> => {
        const content = `say “once for ${dialect}”`;
        const question = { place: await questions.newPlace(), key: 'twice', content };
        return Promise.all(cluster.gateways.map((gateway) => questions.askIn(dialect, question, gateway)));
      };
      for (const both of await Promise.all(withKeys.map(askTwice)))
        for (const one of both)
          await questions.expectAnswered(one, { text: `once for ${one.dialect}`, calls: [] });
    },
    TEST_MS,
  );

  it(
    'a killed worker’s call runs again, and no client is told of it',
    async () => {
      const [dying] = cluster.workers;
      const asking = await questions.askAllToHold('worker');
      await cluster.add('tool-worker', holding);
      await cluster.settled();
      await cluster.end(dying!);
      await questions.allHold('worker', 2);
      questions.openAll('worker');
      await questions.expectAllHeld(asking, 'worker', 2);
    },
    TEST_MS,
  );

  it(
    'a killed orchestrator’s step is repeated, and every client gets its text once and complete',
    async () => {
      const [dying] = cluster.orchestrators;
      const others: Asking[] = [];
      const askDrivenByDying = async (dialect: string): Promise<Asking> => {
        for (let tries = 0; tries < MAX_TRIES; tries++) {
          const asking = await questions.ask(dialect, `count slowly to ${COUNTED}`);
          if ((await cluster.ownerOf(await questions.turnIdOf(asking))) === dying) return asking;
          others.push(asking);
        }
        throw new Error(`one orchestrator drives none of ${MAX_TRIES} turns`);
      };
      const orphans = await Promise.all(DIALECTS.map(askDrivenByDying));
      const live = orphans.filter(({ dialect }) => DIALECT_CLIENTS[dialect]!.isLive);
      await waitFor(() => live.every(({ asked }) => asked.text().length > 20), { what: 'text of each' });
      await cluster.end(dying!);
      const attemptOf = async (one: Asking) => (await questions.turnsOf(one))[0]!.steps[0]!.attempt;
      for (const one of [...orphans, ...others]) {
        await questions.expectAnswered(one, { text: numbersTo(COUNTED), calls: [] });
        expect([one.dialect, await attemptOf(one)]).toEqual([one.dialect, orphans.includes(one) ? 200 : 100]);
      }
      await cluster.startAgain(dying!);
    },
    TEST_MS,
  );

  it(
    'a killed gateway’s streams break off; a retry with the key finds the same turn at another gateway, also after its end',
    async () => {
      const [dying, other] = cluster.gateways;
      const asking = await questions.askAllToHold('gateway');
      await cluster.end(dying!);
      for (const { asked } of asking) await expect(asked.told).rejects.toThrow();
      const of = (dialects: string[]) => asking.filter(({ dialect }) => dialects.includes(dialect));
      const askAgain = (one: Asking, gateway: SwitchyardProcess) =>
        questions.askIn(one.dialect, one, gateway);
      const again = await Promise.all(of(withKeys).map((one) => askAgain(one, other!)));
      // The next socket is told the rest by itself.
      const [genesis] = of(['genesis-chat']);
      const socket = await GenesisClient.open(other!.url);
      await socket.next('tool_start', 1, PATIENCE_MS);
      again.push({ ...genesis!, asked: followGenesis(socket, genesis!.place) });
      questions.openAll('gateway');
      await questions.expectAllHeld(again, 'gateway', 1);

      const back = await cluster.startAgain(dying!);
      const later = await Promise.all(of(withKeys).map((one) => askAgain(one, back)));
      await questions.expectAllHeld(later, 'gateway', 1);
      // Whose questions have no keys finds the answer in the conversation, and goes on in it.
      for (const one of of(withoutKeys)) {
        const next = await askAgain({ ...one, content: 'what did I say just before?' }, back);
        await questions.expectAnswered(next, { text: `“${one.content}”`, calls: [] });
        const turns = await questions.turnsOf(one);
        expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed']);
        expect(turns[0]!.steps[0]!.calls).toMatchObject([{ state: 'succeeded', attempt: 1 }]);
      }
    },
    TEST_MS,
  );

  it(
    'the openai client notices a killed gateway, and its own retry at another gateway finds the same turn',
    async () => {
      const [dying, other] = cluster.gateways;
      const content = 'call repeats__hold with {"name":"retried"}';
      const tries: string[] = [];
      // As behind a balancer: the second request reaches whoever is there.
      const balanced: typeof fetch = (url, init) => {
        const gateway = tries.length === 0 ? dying! : other!;
        tries.push(gateway.url);
        return fetch(new URL(new URL(String(url)).pathname, gateway.url), init);
      };
      const client = new OpenAI({ baseURL: 'http://balancer.test/v1', apiKey: 'any', fetch: balanced });
      const request = { model: 'switchyard', messages: [{ role: 'user' as const, content }] };
      const options = { headers: { 'Idempotency-Key': 'key-of-a-client-that-retries' } };
      const asked = client.chat.completions.create(request, options).withResponse();
      asked.catch(() => undefined);
      await gates.started('retried');
      await cluster.end(dying!);
      await waitFor(() => tries.length === 2, { what: 'the second try' });
      gates.open('retried');
      const { data, response } = await asked;
      expect(data.choices[0]!.message.content).toContain('held retried');
      const conversation = response.headers.get('x-conversation-id')!;
      expect(await cluster.store.listTurns(conversation, { limit: 9 })).toHaveLength(1);
      expect(gates.starts('retried')).toBe(1);
    },
    TEST_MS,
  );
});
