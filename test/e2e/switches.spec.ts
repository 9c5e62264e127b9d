import { beforeAll, expect, it } from '@jest/globals';
import type { CallView, ListedProcess } from '#contracts';
import { runSwitchyard } from '../integration/gateway/switchyard-command.js';
import type { SwitchyardProcess } from '../services/processes.js';
import { describeWithServices, serviceStartTimeoutMs } from '../services/test-services.js';
import { waitFor } from '../services/wait-for.js';
import { Cluster, CLUSTER_START_MS } from './cluster.js';
import { endCluster } from './end-cluster.js';
import { Gates } from './gates.js';

const START_MS = serviceStartTimeoutMs + CLUSTER_START_MS;
const PAUSED = 'The toolset of gate.hold is paused by an operator.';

describeWithServices(['rabbitmq', 'mongo'], 'operators of two processes of each kind', () => {
  let gates: Gates;
  let cluster: Cluster;

  beforeAll(async () => {
    gates = await Gates.create();
    const worker = { MCP_CONFIG: await gates.mcpConfig({ gate: 'once' }) };
    cluster = await Cluster.start({ workers: [worker, worker] });
  }, START_MS);

  endCluster(
    () => cluster,
    () => [gates?.remove()],
  );

  const switchyard = (...words: string[]) => runSwitchyard(cluster.gateways[0]!.url, '', ...words);

  /** The call of a new turn, when it has ended; undefined if its model is not offered the tool. */
  async function holding(name: string, gateway = cluster.gateways[1]!): Promise<CallView | undefined> {
    const viewer = await cluster.view(gateway);
    const sent = await viewer.send(`call gate__hold with {"name":"${name}"}`);
    const { steps } = await viewer.ended(sent.conversation_id, sent.turn_id);
    return steps[0]!.calls[0];
  }

  /** A turn of a new viewer whose call holds until its gate is opened. */
  async function startHolding(name: string) {
    const viewer = await cluster.view(cluster.gateways[1]);
    const sent = await viewer.send(`call gate__hold with {"name":"${name}"}`);
    await gates.started(name);
    const { conversation_id, turn_id } = sent;
    const call = viewer.turn(conversation_id, turn_id)!.steps[0]!.calls[0]!;
    const ownerOf = async (workId: string) => (await cluster.store.listClaims(workId)).at(-1)!.owner;
    return {
      worker: await ownerOf(call.tool_call_id),
      orchestrator: await ownerOf(turn_id),
      end: () => viewer.ended(conversation_id, turn_id),
    };
  }

  /** A quorum queue counts a cancelled consumer until what it holds is settled; this list does not have it. */
  async function consumersOf(queue: string): Promise<number> {
    const { management, vhost } = cluster.broker;
    const all = (await management.request('GET', `/api/consumers/${vhost}`)) as { queue: { name: string } }[];
    return all.filter(({ queue: { name } }) => name === queue).length;
  }

  const consumedBy = (queue: string, count: number) =>
    waitFor(async () => (await consumersOf(queue)) === count, {
      what: `${count} consumers of ${queue}`,
      timeoutMs: 15_000,
    });

  async function processes(): Promise<ListedProcess[]> {
    return (JSON.parse(await switchyard('status', '--json')) as { processes: ListedProcess[] }).processes;
  }

  async function idOf({ log }: SwitchyardProcess): Promise<string> {
    return (await processes()).find(({ id }) => log.includes(id))!.id;
  }

  it('pause a toolset: what runs finishes, and it is no longer offered, at every process', async () => {
    const running = await startHolding('running');
    expect(await switchyard('pause', 'gate', '--reason', 'too slow')).not.toContain('No living worker');
    let asked = 0;
    const isWithheld = async () => {
      gates.open(`late-${++asked}`);
      return (await holding(`late-${asked}`)) === undefined;
    };
    await waitFor(isWithheld, { what: 'a model that is not offered the tool', timeoutMs: 20_000 });
    expect(gates.starts(`late-${asked}`)).toBe(0);
    gates.open('running');
    expect((await running.end()).steps[0]!.calls[0]!.state).toBe('succeeded');
    await switchyard('resume', 'gate');
    gates.open('again');
    await waitFor(async () => (await holding('again'))?.state === 'succeeded', {
      what: 'a call that runs again',
    });
  });

  it('pause a toolset whose workers stand still: calls in the queue are refused, and never begin', async () => {
    for (const worker of cluster.workers) worker.freeze();
    const viewer = await cluster.view();
    const sent = await viewer.send('call gate__hold with {"name":"queued"}');
    await waitFor(() => viewer.turn(sent.conversation_id, sent.turn_id)?.steps[0]?.calls[0], {
      what: 'the call that is asked for',
    });
    await switchyard('pause', 'gate');
    const { steps } = await viewer.ended(sent.conversation_id, sent.turn_id);
    expect(steps[0]!.calls[0]!.error?.error_message).toBe(PAUSED);
    for (const worker of cluster.workers) worker.thaw();
    await switchyard('resume', 'gate');
    const { management, vhost } = cluster.broker;
    const isEmpty = async () =>
      (await management.listQueues(vhost)).every(
        ({ name, messages }) => name !== 'tools.gate' || messages === 0,
      );
    await waitFor(isEmpty, { what: 'an empty queue', timeoutMs: 15_000 });
    expect(gates.starts('queued')).toBe(0);
  });

  it('drain a worker: it finishes what it has and takes no calls, until that is undone', async () => {
    const running = await startHolding('kept');
    const { worker } = running;
    await switchyard('drain', worker, '--reason', 'new disk');
    await consumedBy('tools.gate', 1);
    const isDraining = async () => (await processes()).find(({ id }) => id === worker)?.load.draining;
    await waitFor(isDraining, { what: 'a process that says that it drains', timeoutMs: 10_000 });
    for (const name of ['other-1', 'other-2', 'other-3']) {
      gates.open(name);
      const call = (await holding(name))!;
      expect(call).toMatchObject({ state: 'succeeded' });
      expect(call.worker).not.toBe(worker);
    }
    gates.open('kept');
    const { steps } = await running.end();
    expect(steps[0]!.calls[0]).toMatchObject({ state: 'succeeded', worker: worker, attempt: 1 });
    await switchyard('resume', worker);
    await consumedBy('tools.gate', 2);
  });

  it('drain an orchestrator: its turns go on, others take new ones, until that is undone', async () => {
    const running = await startHolding('driven');
    const { orchestrator } = running;
    await switchyard('drain', orchestrator);
    await consumedBy('turns', 1);
    gates.open('new');
    const viewer = await cluster.view();
    const sent = await viewer.send('call gate__hold with {"name":"new"}');
    await viewer.ended(sent.conversation_id, sent.turn_id);
    expect((await cluster.store.listClaims(sent.turn_id)).at(-1)!.owner).not.toBe(orchestrator);
    gates.open('driven');
    const ended = await running.end();
    expect(ended.status).toBe('completed');
    expect(await cluster.store.listClaims(ended.turn_id)).toHaveLength(1);
    await switchyard('resume', orchestrator);
    await consumedBy('turns', 2);
  });

  it('drain a gateway: it is not ready, and keeps its viewers, until that is undone', async () => {
    const gateway = cluster.gateways[1]!;
    const viewer = await cluster.view(gateway);
    const id = await idOf(gateway);
    await switchyard('drain', id);
    const status = async () => (await fetch(`${gateway.url}/health/ready`)).status;
    await waitFor(async () => (await status()) === 503, { what: 'a gateway that is not ready' });
    const { conversation_id, turn_id } = await viewer.send('what is 17 + 25?');
    expect((await viewer.ended(conversation_id, turn_id)).status).toBe('completed');
    await switchyard('resume', id);
    await waitFor(async () => (await status()) === 200, { what: 'a gateway that is ready' });
  });

  it('choose the log level of one process', async () => {
    const [worker, other] = cluster.workers;
    const changesOf = ({ log }: SwitchyardProcess) =>
      [...log.matchAll(/"audit":"log_level_changed","from":"(\w+)","to":"(\w+)"/g)].map(
        ([, ...levels]) => levels,
      );
    const id = await idOf(worker!);
    await switchyard('log-level', 'debug', '--process', id);
    await waitFor(() => changesOf(worker!).length === 1, { what: 'another level' });
    await switchyard('resume', 'logs', '--process', id);
    await waitFor(() => changesOf(worker!).length === 2, { what: 'its old level' });
    expect(changesOf(worker!)).toEqual([
      ['info', 'debug'],
      ['debug', 'info'],
    ]);
    expect(changesOf(other!)).toEqual([]);
    expect(await switchyard('switches')).toBe('Nothing is switched.\n');
  });
});
