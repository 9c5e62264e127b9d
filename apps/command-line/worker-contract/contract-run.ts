import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallBody, Toolset } from '#contracts';
import { BrokerLine } from './broker-line.js';
import { ContractCalls } from './contract-calls.js';
import { ContractServer, GROUP } from './contract-server.js';
import { ContractBroken, until } from './until.js';
import { WorkerProcess } from './worker-process.js';

const START_WITHIN_MS = 60_000;

export interface ContractOptions {
  /** A broker on which the suite may declare everything. */
  url: string;
  /** The same broker with the credentials of the worker; default: those of `url`. */
  workerUrl?: string;
  /** The command that starts the worker. */
  command: readonly string[];
  environment: Record<string, string | undefined>;
}

/** No worker takes calls: no case can be tried. */
export class WorkerUnusable extends ContractBroken {
  override name = 'WorkerUnusable';
}

/** A started worker, and its id in the fleet. */
export interface Worker {
  id: string;
  process: WorkerProcess;
}

/** What the cases have: the orchestrator's side, the worker, and files in which its tools leave traces. */
export class ContractRun {
  readonly server: ContractServer;
  readonly calls: ContractCalls;
  readonly line: BrokerLine;
  readonly workers: Worker[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'worker-contract-'));
  private files = 0;

  constructor(private readonly options: ContractOptions) {
    this.server = new ContractServer(options.url);
    this.calls = new ContractCalls(this.server);
    this.line = new BrokerLine(new URL(options.workerUrl ?? options.url));
  }

  async open(): Promise<void> {
    await this.server.open();
    await this.line.open();
  }

  async close(): Promise<void> {
    for (const { process } of this.workers) process.kill('SIGKILL');
    this.line.close();
    await this.server.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Starts a worker, and waits until it offers the toolset. */
  async startWorker(environment: Record<string, string> = {}): Promise<Worker> {
    const known = new Set(this.server.announcements.map(({ worker }) => worker));
    const process = new WorkerProcess(this.options.command, {
      ...this.options.environment,
      ...environment,
      ...{ RABBITMQ_URL: this.line.url, MONGODB_URL: '', WORKER_GROUP: GROUP.name, TOOLSETS: 'contract' },
    });
    const isNew = ({ worker, toolsets }: { worker: string; toolsets: Toolset[] }) =>
      !known.has(worker) && toolsets.some(({ name }) => name === 'contract');
    const look = () => {
      if (process.hasEnded) throw new ContractBroken('the worker ended before it offered its tools');
      return this.server.announcements.find(isNew);
    };
    try {
      const { worker: id } = await until('the offer of the worker’s tools', look, START_WITHIN_MS);
      const worker = { id, process };
      this.workers.push(worker);
      return worker;
    } catch (error) {
      process.kill('SIGKILL');
      if (!(error instanceof ContractBroken)) throw error;
      const reasons = this.server.unreadable
        .slice(-1)
        .map((reason) => `; a request cannot be read: ${reason}`);
      throw new WorkerUnusable(`${error.message}${reasons.join('')}\n${process.output}`);
    }
  }

  /** The living worker; one is started if there is none. */
  async worker(): Promise<Worker> {
    const living = this.workers.filter(({ process }) => !process.hasEnded);
    return living.at(-1) ?? this.startWorker();
  }

  /** Ends a worker and waits for its exit. */
  async end(worker: Worker, signal: NodeJS.Signals): Promise<{ code: number | null }> {
    worker.process.kill(signal);
    return until('the exit of the worker', () => worker.process.hasEnded && worker.process.exit);
  }

  /** Waits until no worker consumes the queue: what its workers had not acknowledged is in it again. */
  async unacknowledged(): Promise<number> {
    const { bus } = this.server.ports;
    const left = await until('the queue of the toolset without a consumer', async () => {
      const found = await bus.inspect('tools.contract');
      return found !== 'missing' && found.consumers === 0 && found;
    });
    return left.messages;
  }

  newFile(): string {
    return join(this.folder, String(++this.files));
  }

  /** What a tool wrote into the file: `start` and `end`, a line each. */
  tracesIn(file: unknown): string[] {
    if (typeof file !== 'string' || !existsSync(file)) return [];
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  startsOf({ arguments: { file } }: ToolCallBody): number {
    return this.tracesIn(file).filter((line) => line.startsWith('start')).length;
  }

  async untilStarted(call: ToolCallBody, starts = 1): Promise<void> {
    await until(`start ${starts} of ${call.tool_call_id}`, () => this.startsOf(call) >= starts);
  }

  /** Fails the case unless the call ends with this type of error, and its tool has not started. */
  async expectUnstarted(
    call: ToolCallBody,
    errorType: string,
    ending = this.calls.outcomeOf(call),
  ): Promise<void> {
    const { error } = await ending;
    this.expect('the error', error?.error_type, errorType);
    this.expect('the number of starts', this.startsOf(call), 0);
  }

  /** Fails the case when the two differ. */
  expect(what: string, found: unknown, expected: unknown): void {
    if (isDeepStrictEqual(found, expected)) return;
    throw new ContractBroken(`${what} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
  }
}
