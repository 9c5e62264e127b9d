import { createRequire } from 'node:module';
import type { RunningService, SharedService } from './services.js';

/** The part of testcontainers' API in use here; the package itself is optional (see `findContainerObstacle`). */
interface StartedContainer {
  getHost(): string;
  getMappedPort(port: number): number;
  exec(command: string[]): Promise<{ exitCode: number; output: string }>;
  stop(): Promise<unknown>;
}
interface Container {
  withExposedPorts(...ports: number[]): Container;
  withCommand(command: string[]): Container;
  withWaitStrategy(strategy: unknown): Container;
  withStartupTimeout(timeoutMs: number): Container;
  start(): Promise<StartedContainer>;
}
interface Testcontainers {
  GenericContainer: new (image: string) => Container;
  Wait: { forLogMessage(message: string | RegExp): unknown };
}

const packageName = 'testcontainers';
const startTimeoutMs = 180_000;

export function findContainerObstacle(): string | undefined {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return undefined;
  } catch {
    return 'USE_DOCKER=1 needs a package that is not a dependency: npm install --no-save testcontainers@11.14.0';
  }
}

/** Images: `TEST_RABBITMQ_IMAGE` (rabbitmq:4-management) and `TEST_MONGODB_IMAGE` (mongo:8). */
export async function startContainer(name: SharedService): Promise<RunningService> {
  const testcontainers = (await import(packageName)) as Testcontainers;
  return name === 'rabbitmq' ? startRabbitmqContainer(testcontainers) : startMongoContainer(testcontainers);
}

async function startRabbitmqContainer({ GenericContainer, Wait }: Testcontainers): Promise<RunningService> {
  const container = await new GenericContainer(process.env.TEST_RABBITMQ_IMAGE ?? 'rabbitmq:4-management')
    .withExposedPorts(5672, 15672)
    .withWaitStrategy(Wait.forLogMessage(/Server startup complete/))
    .withStartupTimeout(startTimeoutMs)
    .start();
  const host = container.getHost();
  // `guest` may log in from the loopback address only, and a mapped port is not one.
  const user = ['add_user', 'switchyard', 'switchyard'];
  const rights = ['set_permissions', '-p', '/', 'switchyard', '.*', '.*', '.*'];
  for (const command of [user, ['set_user_tags', 'switchyard', 'administrator'], rights]) {
    await run(container, ['rabbitmqctl', ...command]);
  }
  return {
    url: `amqp://switchyard:switchyard@${host}:${container.getMappedPort(5672)}/%2F`,
    managementUrl: `http://switchyard:switchyard@${host}:${container.getMappedPort(15672)}`,
    stop: async () => void (await container.stop()),
  };
}

async function startMongoContainer({ GenericContainer, Wait }: Testcontainers): Promise<RunningService> {
  const container = await new GenericContainer(process.env.TEST_MONGODB_IMAGE ?? 'mongo:8')
    .withExposedPorts(27017)
    .withCommand(['mongod', '--replSet', 'rs0', '--bind_ip_all'])
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/))
    .withStartupTimeout(startTimeoutMs)
    .start();
  const initiate = `rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: '127.0.0.1:27017' }] });
    while (!db.hello().isWritablePrimary) sleep(100);`;
  await run(container, ['mongosh', '--quiet', '--eval', initiate]);
  return {
    // The member calls itself 127.0.0.1:27017, which is not where we find it: no discovery.
    url: `mongodb://${container.getHost()}:${container.getMappedPort(27017)}/?directConnection=true`,
    stop: async () => void (await container.stop()),
  };
}

async function run(container: StartedContainer, command: string[]): Promise<void> {
  const { exitCode, output } = await container.exec(command);
  if (exitCode !== 0) throw new Error(`${command.join(' ')} in the container failed: ${output}`);
}
