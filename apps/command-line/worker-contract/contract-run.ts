import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ToolCallBody, Toolset } from '#contracts';
import { CommandError } from '../command-error.js';
import { BrokerLine } from './broker-line.js';
import { ContractCalls } from './contract-calls.js';
import { ContractServer, GROUP } from './contract-server.js';
import { clearHost, requireWorkerUrl } from './own-host.js';
import { ContractBroken, pause, until } from './until.js';
import { WorkerProcess } from './worker-process.js';

const START_WITHIN_MS = 60_000;
/** A process of the worker that nobody ends could hold its output open. */
const OUTPUT_WITHIN_MS = 1_000;
const SHOWN_LINES = 20;

export interface ContractOptions {
  /** A broker on which the suite may declare everything. */
  url: string;
  /** The same broker with the credentials of the worker; default: those of `url`. */
  workerUrl?: string;
  /** The command that starts the worker. */
  command: readonly string[];
  environment: Record<string, string | undefined>;
  /** Hears what has to be done when the process is told to end. */
  onStop?(end: () => Promise<void>): void;
}

/** No worker takes calls: no case can be tried. */
export class WorkerUnusable extends ContractBroken {
  override name = 'WorkerUnusable';

  /** @param output what the worker wrote */
  constructor(
    message: string,
    readonly output: string,
  ) {
    super(message);
  }
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
  /** Rejects when the process is told to end. */
  readonly stopped: Promise<never>;
  private readonly processes: WorkerProcess[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'worker-contract-'));
  private closing?: Promise<void>;
  private files = 0;

  constructor(private readonly options: ContractOptions) {
    this.server = new ContractServer(options.url);
    this.calls = new ContractCalls(this.server);
    this.line = new BrokerLine(new URL(options.workerUrl ?? options.url));
    this.stopped = new Promise((_, reject) => {
      options.onStop?.(() => {
        reject(new CommandError('The suite was told to end, and has ended the worker.'));
        return this.close();
      });
    });
    // Nobody waits for it once the suite is over.
    this.stopped.catch(() => undefined);
  }

  /** What a case finds from now on says nothing about the worker. */
  get isClosing(): boolean {
    return this.closing !== undefined;
  }

  async open(): Promise<void> {
    await this.server.open();
    if (this.options.workerUrl !== undefined) await requireWorkerUrl(this.options.workerUrl);
    await this.line.open();
  }

  /** Ends the workers, and removes what the suite has declared. May be called again. */
  close(): Promise<void> {
    this.closing ??= this.closeAll();
    return this.closing;
  }

  private async closeAll(): Promise<void> {
    for (const process of this.processes) process.kill('SIGKILL');
    this.line.close();
    rmSync(this.folder, { recursive: true, force: true });
    await this.server.close();
    await clearHost(this.options.url);
  }

  /** Starts a worker, and waits until it offers the toolset. */
  async startWorker(environment: Record<string, string> = {}): Promise<Worker> {
    if (this.isClosing) throw new ContractBroken('the suite is over');
    const known = new Set(this.server.announcements.map(({ worker }) => worker));
    const process = new WorkerProcess(this.options.command, {
      ...this.options.environment,
      ...environment,
      ...{ RABBITMQ_URL: this.line.url, MONGODB_URL: '', WORKER_GROUP: GROUP.name, TOOLSETS: 'contract' },
    });
    this.processes.push(process);
    const isNew = ({ worker, toolsets }: { worker: string; toolsets: Toolset[] }) =>
      !known.has(worker) && toolsets.some(({ name }) => name === 'contract');
    const look = () => {
      if (process.hasEnded) throw new ContractBroken('the worker ended before it offered its tools');
      return this.server.announcements.find(isNew);
    };
    try {
      const offer = 'the offer of the worker’s tools (ledger.announce with the toolset contract)';
      const { worker: id } = await until(offer, look, START_WITHIN_MS);
      const worker = { id, process };
      this.workers.push(worker);
      return worker;
    } catch (error) {
      process.kill('SIGKILL');
      if (!(error instanceof ContractBroken)) throw error;
      await Promise.race([process.outputEnd, pause(OUTPUT_WITHIN_MS)]);
      throw new WorkerUnusable(this.describeUnusable(error, process), process.lastLines(SHOWN_LINES));
    }
  }

  private describeUnusable({ message }: ContractBroken, { ending }: WorkerProcess): string {
    const reasons = this.server.unreadable.slice(-1).map((reason) => `; a request cannot be read: ${reason}`);
    const end = ending?.code == null ? '' : `, with exit code ${ending.code}`;
    return [message, end, ...reasons].join('');
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
