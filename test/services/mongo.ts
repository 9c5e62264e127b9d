import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.js';
import { findFreePort } from './free-port.js';
import { prepareMongoClassPath } from './mongo-jars.js';

export { findMongoObstacle } from './mongo-jars.js';

const startTimeoutMs = 30_000;
// A short-lived server: start-up time matters more than peak speed.
const javaOptions = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx512m'];

export interface MongoOptions {
  /** Keep data in an H2 file, committed before every answer: acknowledged writes survive `kill()`. */
  file?: boolean;
}

export interface MongoService {
  url(database?: string): string;
  /** SIGKILL; the port, and in file mode the data, stay for `restart()`. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/**
 * mongo-java-server: speaks MongoDB's protocol as version 5.0, wire version 13. It has no sessions, transactions
 * or pipeline updates, and says nothing about mongod's own durability.
 */
export async function startMongo(options: MongoOptions = {}): Promise<MongoService> {
  const classPath = await prepareMongoClassPath();
  const directory = await mkdtemp(join(tmpdir(), 'switchyard-mongo-'));
  const server = new PrivateMongo(classPath, directory, await findFreePort(), options.file ?? false);
  try {
    await server.start();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

class PrivateMongo implements MongoService {
  private server?: Child;

  constructor(
    readonly classPath: string,
    readonly directory: string,
    readonly port: number,
    readonly isInFile: boolean,
  ) {}

  url(database = ''): string {
    return `mongodb://127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const data = this.isInFile ? [join(this.directory, 'data.h2')] : [];
    const command = [...javaOptions, '-cp', this.classPath, 'MongoServer', String(this.port), ...data];
    const server = new Child('mongo', 'java', command, { env: { PATH: process.env.PATH ?? '' } });
    this.server = server;
    await server.becomeReady(() => /^ready$/m.test(server.log), startTimeoutMs);
  }

  async kill(): Promise<void> {
    await this.server?.kill('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  freeze(): void {
    this.server?.freeze();
  }

  thaw(): void {
    this.server?.thaw();
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true });
  }
}
