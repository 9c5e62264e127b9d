import { findContainerObstacle, startContainer } from './containers.js';
import { findChromium } from './chromium.js';
import { findMongoObstacle, startMongo } from './mongo.js';
import { findPrometheusObstacle, PROMTOOL } from './prometheus-programs.js';
import { hasRabbitmq, startRabbitmq } from './rabbitmq.js';

/** Shared by the whole run: one vhost or database per test file. */
export type SharedService = 'rabbitmq' | 'mongo';
/** What the first file that asks for it starts, and the whole run uses. */
export type HostedService = SharedService | 'browser' | 'page';
/** A private one is started, killed and frozen by the test itself: only local programs will do. */
export type NeededService = SharedService | 'private-rabbitmq' | 'private-mongo' | 'chromium' | 'promtool';

export type ServicePlan =
  | { source: 'url' | 'local' | 'testcontainers'; detail: string; managementUrl?: string }
  | { source: 'skipped'; detail: string };

export type ServicePlans = Record<NeededService, ServicePlan>;

export interface SharedServiceAddress {
  url: string;
  managementUrl?: string;
}

export interface RunningService extends SharedServiceAddress {
  stop(): Promise<void>;
}

/** Decides where each service comes from (an address, containers if wanted, a local program, else skipped); starts nothing. */
export function planServices(env: NodeJS.ProcessEnv = process.env): ServicePlans {
  if (env.SWITCHYARD_TEST_SERVICES === '0') return skipAll('SWITCHYARD_TEST_SERVICES=0');
  const rabbitmqObstacle = hasRabbitmq()
    ? undefined
    : 'no rabbitmq-server (Debian: apt-get install rabbitmq-server)';
  const mongoObstacle = findMongoObstacle();
  const chromium = findChromium();
  return {
    rabbitmq: planExplicitRabbitmq(env) ?? planShared('rabbitmq', rabbitmqObstacle, env),
    mongo: planExplicitMongo(env) ?? planShared('mongo', mongoObstacle, env),
    'private-rabbitmq': planLocal('rabbitmq-server', rabbitmqObstacle),
    'private-mongo': planLocal('mongo-java-server', mongoObstacle),
    chromium: planLocal(chromium ?? '', chromium ? undefined : 'no chromium (set CHROMIUM_PATH)'),
    promtool: planLocal(PROMTOOL, findPrometheusObstacle()),
  };
}

export async function startService(name: SharedService, plan: ServicePlan): Promise<RunningService> {
  switch (plan.source) {
    case 'url':
      return { url: plan.detail, managementUrl: plan.managementUrl, stop: async () => {} };
    case 'testcontainers':
      return startContainer(name);
    case 'skipped':
      throw new Error(`${name} was asked for although it is skipped: ${plan.detail}`);
    case 'local':
      return name === 'rabbitmq' ? startLocalRabbitmq() : startLocalMongo();
  }
}

function planShared(name: SharedService, obstacle: string | undefined, env: NodeJS.ProcessEnv): ServicePlan {
  if (env.USE_DOCKER === '1') return planContainer();
  if (obstacle) return { source: 'skipped', detail: `${obstacle}; or set USE_DOCKER=1` };
  return planLocal(name === 'rabbitmq' ? 'rabbitmq-server' : 'mongo-java-server', undefined);
}

function planContainer(): ServicePlan {
  const obstacle = findContainerObstacle();
  if (obstacle) throw new Error(obstacle);
  return { source: 'testcontainers', detail: 'USE_DOCKER=1' };
}

function planLocal(detail: string, obstacle: string | undefined): ServicePlan {
  return obstacle ? { source: 'skipped', detail: obstacle } : { source: 'local', detail };
}

function planExplicitRabbitmq(env: NodeJS.ProcessEnv): ServicePlan | undefined {
  const { TEST_RABBITMQ_URL: url, TEST_RABBITMQ_MANAGEMENT_URL: managementUrl } = env;
  if (!url && !managementUrl) return undefined;
  if (!url || !managementUrl) {
    throw new Error('TEST_RABBITMQ_URL and TEST_RABBITMQ_MANAGEMENT_URL belong together: set both or none');
  }
  return { source: 'url', detail: url, managementUrl };
}

function planExplicitMongo(env: NodeJS.ProcessEnv): ServicePlan | undefined {
  return env.TEST_MONGODB_URL ? { source: 'url', detail: env.TEST_MONGODB_URL } : undefined;
}

function skipAll(detail: string): ServicePlans {
  const plan: ServicePlan = { source: 'skipped', detail };
  return {
    rabbitmq: plan,
    mongo: plan,
    'private-rabbitmq': plan,
    'private-mongo': plan,
    chromium: plan,
    promtool: plan,
  };
}

async function startLocalRabbitmq(): Promise<RunningService> {
  const broker = await startRabbitmq();
  return { url: broker.url(), managementUrl: broker.managementUrl, stop: () => broker.stop() };
}

async function startLocalMongo(): Promise<RunningService> {
  const server = await startMongo();
  return { url: server.url(), stop: () => server.stop() };
}
