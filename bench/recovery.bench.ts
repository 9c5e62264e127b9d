import { setTimeout as delay } from 'node:timers/promises';
import { connect } from 'amqplib';
import { Gates } from '../test/e2e/gates.js';
import { Viewer } from '../test/e2e/viewer.js';
import type { SwitchyardProcess } from '../test/services/processes.js';
import type { MongoService } from '../test/services/mongo.js';
import type { RabbitmqService } from '../test/services/rabbitmq.js';
import { spreadOf, type Row } from './measure.js';
import { RecoveryFleet, until, type FleetOptions } from './recovery-fleet.js';

const KILLS = 20;
/** Of processes that are started again, so that the next kill comes within ten seconds. */
const YOUNG_KILLS = 12;
/** As long as a client waits before it connects again. */
const RECONNECT_DELAY_MS = 500;

const AMONG_YOUNG = ', all younger than 10 s';
const GOAL_AMONG_YOUNG = '≤ 5,000 at p50, ≤ 7,000';

interface Age {
  isYoung?: boolean;
}

interface Services {
  rabbitmq: RabbitmqService;
  mongo: MongoService;
}

/** From SIGKILL to the next thing that a viewer sees of the turn. */
export async function benchRecovery(services: Services): Promise<Row[]> {
  return [
    await orchestratorAt(services, 1),
    await orchestratorAt(services, 3),
    await orchestratorAt(services, 1, { isYoung: true }),
    await workerInCall(services),
    await workerInCall(services, { isYoung: true }),
    await gateway(services),
    await broker(services),
  ];
}

async function orchestratorAt(services: Services, step: number, { isYoung = false }: Age = {}): Promise<Row> {
  const fleet = await startFleet(services, `orchestrator_${step}${isYoung ? '_young' : ''}`, {
    counts: { gateway: 1, orchestrator: isYoung ? 2 : KILLS + 1, 'tool-worker': 1 },
    toolSteps: step - 1,
    isYoung,
  });
  const viewer = await fleet.view();
  const times = await repeat(isYoung ? YOUNG_KILLS : KILLS, async () => {
    const { turn_id } = await viewer.send('Speak for a minute.');
    const tokens = () => viewer.events('token').filter((event) => event.turn_id === turn_id);
    await until('tokens of the step', () => tokens().some((event) => event.step === step));
    const driver = await fleet.ownerOf(turn_id);
    const tookMs = await clock(driver, 'tokens of the next attempt', () =>
      tokens().some((event) => event.step === step && event.attempt >= 200),
    );
    await viewer.request('stop', { turn_id });
    if (isYoung) await fleet.replace(driver);
    return tookMs;
  });
  await fleet.stop();
  const name = `orchestrator killed while it streams step ${step}${isYoung ? AMONG_YOUNG : ''}: next text`;
  return row(name, times, isYoung ? GOAL_AMONG_YOUNG : '≤ 2,000');
}

async function workerInCall(services: Services, { isYoung = false }: Age = {}): Promise<Row> {
  const gates = await Gates.create();
  let number = 0;
  const fleet = await startFleet(services, isYoung ? 'worker_young' : 'worker', {
    isYoung,
    counts: { gateway: 1, orchestrator: 1, 'tool-worker': isYoung ? 2 : KILLS + 1 },
    worker: { MCP_CONFIG: await gates.mcpConfig({ repeats: 'idempotent' }), TOOLSETS: 'repeats' },
    toolSteps: 1,
    toolUse: () => ['repeats__hold', { name: `hold${++number}` }],
  });
  const viewer = await fleet.view();
  const times = await repeat(isYoung ? YOUNG_KILLS : KILLS, async () => {
    const { turn_id } = await viewer.send('Hold.');
    const starts = () => viewer.events('tool_start').filter((event) => event.turn_id === turn_id);
    await until('the running call', () => starts().length > 0 && gates.starts(`hold${number}`) > 0);
    const worker = await fleet.ownerOf(starts()[0]!.tool_call_id);
    const tookMs = await clock(worker, 'the second start', () =>
      starts().some((event) => event.attempt === 2),
    );
    gates.open(`hold${number}`);
    await until('the answer', () => viewer.events('token').some((event) => event.turn_id === turn_id));
    await viewer.request('stop', { turn_id });
    if (isYoung) await fleet.replace(worker);
    return tookMs;
  });
  await fleet.stop();
  await gates.remove();
  const name = `tool worker killed in an idempotent call${isYoung ? AMONG_YOUNG : ''}: next start`;
  return row(name, times, isYoung ? GOAL_AMONG_YOUNG : '≤ 2,000');
}

async function gateway(services: Services): Promise<Row> {
  const fleet = await startFleet(services, 'gateway', {
    counts: { gateway: KILLS + 1, orchestrator: 1, 'tool-worker': 0 },
    toolSteps: 0,
  });
  const times = await repeat(KILLS, async () => {
    const [dying, next] = fleet.gateways();
    const viewer = await fleet.view(dying);
    const { turn_id, conversation_id } = await viewer.send('Speak for a minute.');
    await until('text', () => viewer.events('token').length > 0);
    const lost = new Promise((resolve) => viewer.socket.once('disconnect', resolve));
    const startedAt = performance.now();
    const killed = dying!.kill();
    await lost;
    viewer.close();
    await delay(RECONNECT_DELAY_MS);
    const again = await Viewer.connect(next!.url);
    await again.join(conversation_id);
    await until('text', () => again.events('token').length > 0);
    const tookMs = performance.now() - startedAt;
    await again.request('stop', { turn_id });
    again.close();
    await killed;
    return tookMs;
  });
  await fleet.stop();
  const name = `gateway killed, client back after ${RECONNECT_DELAY_MS} ms at another: next text`;
  return row(name, times, `≤ ${RECONNECT_DELAY_MS} + 500`);
}

async function broker(services: Services): Promise<Row> {
  const { rabbitmq } = services;
  const fleet = await startFleet(services, 'broker', {
    counts: { gateway: 1, orchestrator: 1, 'tool-worker': 1 },
    toolSteps: 0,
  });
  const viewer = await fleet.view();
  const times = await repeat(KILLS, async () => {
    const { turn_id } = await viewer.send('Speak for a minute.');
    const tokens = () => viewer.events('token').filter((event) => event.turn_id === turn_id).length;
    await until('text', () => tokens() > 0);
    await rabbitmq.kill();
    const restarted = rabbitmq.restart();
    await until('a broker that takes connections', () => takesConnections(rabbitmq));
    const [backAt, before] = [performance.now(), tokens()];
    await until('text', () => tokens() > before);
    const tookMs = performance.now() - backAt;
    await restarted;
    await until(
      'the answer to a Stop',
      async () => !('error' in (await viewer.request('stop', { turn_id }))),
    );
    return tookMs;
  });
  await fleet.stop();
  return row('broker killed and restarted: next text after it takes connections', times, '≤ 1,000');
}

function startFleet(
  { rabbitmq, mongo }: Services,
  name: string,
  options: Pick<FleetOptions, 'counts' | 'toolSteps'> & Partial<FleetOptions>,
): Promise<RecoveryFleet> {
  return RecoveryFleet.start({
    rabbitmqUrl: rabbitmq.url('/'),
    mongodbUrl: mongo.url(`bench_recovery_${name}`),
    worker: { TOOLSETS: 'math' },
    toolUse: () => ['math__add', { a: 17, b: 25 }],
    ...options,
  });
}

/** Milliseconds from SIGKILL until `seen`. */
async function clock(victim: SwitchyardProcess, what: string, seen: () => boolean): Promise<number> {
  const startedAt = performance.now();
  const killed = victim.kill();
  await until(what, seen);
  const tookMs = performance.now() - startedAt;
  await killed;
  return tookMs;
}

async function repeat(kills: number, measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < kills; i++) times.push(await measure());
  return times;
}

async function takesConnections(rabbitmq: RabbitmqService): Promise<boolean> {
  try {
    await (await connect(rabbitmq.url('/'))).close();
    return true;
  } catch {
    return false;
  }
}

function row(name: string, times: number[], goal: string): Row {
  return { name, unit: 'ms', ...spreadOf(times), goal };
}
