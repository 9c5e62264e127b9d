import { createLogger, createMetrics } from '#observability';
import { createStore, type Store } from '#store';
import { InputSchemas } from '#tools';
import { SeededRandom, VirtualClock } from '#time/testing';
import type { ClientRequest, LifeEvent, Start } from '../soak/evidence.js';
import { CompositeSignals } from './composite-signals.js';
import { Faults } from './faults.js';
import { Promises } from './promises.js';
import { SimulatedBroker } from './simulated-broker.js';
import { SimulatedGateway } from './simulated-gateway.js';
import type { SimulatedProcess } from './simulated-process.js';
import { StreamedTexts } from './streamed-texts.js';
import type { Strikes } from './strikes.js';

type Untimed<T> = T extends unknown ? Omit<T, 'at'> : never;

/** Of the workers, where they have no store. */
export const GROUP = { name: 'lab', toolsets: ['trace'] };

/** One seed, one clock, one broker, one store, and the real processes on them. */
export class World {
  readonly random: SeededRandom;
  readonly clock: VirtualClock;
  readonly faults: Faults;
  readonly broker: SimulatedBroker;
  readonly database: Store = createStore({ dataDir: ':memory:' });
  readonly processes: SimulatedProcess[] = [];
  isOver = false;
  /** Nothing is struck any more. */
  isCalm = false;
  strikes: Strikes | undefined;
  /** Nothing was struck, and no process was frozen or cut off. */
  isUntouched = true;
  brokerRestarts = 0;
  readonly promises: Promises;
  readonly streamed: StreamedTexts;
  /** Called when a process has ended, so that another one can take its place. */
  onEnd: (process: SimulatedProcess) => void = () => undefined;
  /** Lines that were logged as warnings or worse. */
  readonly complaints: string[] = [];
  readonly starts: Start[] = [];
  readonly lives: LifeEvent[] = [];
  readonly requests: ClientRequest[] = [];
  /** How each turn ended. */
  readonly ends: string[] = [];
  /** Is told what happens. */
  onNote: ((line: string) => void) | undefined;
  /** Is told of each operation that has had its effect on the store. */
  onEffect: ((processId: string, operation: string, args: unknown[]) => void) | undefined;
  modelRequests = 0;
  /** A step that the model had been asked for before. */
  repeatedRequests = 0;
  private readonly asked = new Set<string>();
  private readonly signals = new CompositeSignals();
  readonly logger = createLogger({
    role: 'world',
    level: 'warn',
    pretty: false,
    destination: { write: (line: string) => void this.complaints.push(line) },
  });

  /** @param hasLedger workers have no store and ask the orchestrators */
  constructor(
    readonly seed: number,
    readonly hasLedger = false,
  ) {
    this.random = new SeededRandom(seed);
    this.clock = new VirtualClock(this.random.fork());
    this.faults = new Faults(this.random.fork());
    this.broker = new SimulatedBroker(this.clock);
    this.promises = new Promises(
      () => this.clock.wall(),
      this.lives,
      () => this.isUntouched,
    );
    this.streamed = new StreamedTexts(this.promises.findings);
  }

  async open(): Promise<void> {
    this.signals.watch();
    await this.database.open();
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const process of this.processes) if (!process.isOver) process.kill();
    await this.database.close();
    this.signals.release();
  }

  /** It begins to start; when it is ready is its own affair. */
  add<P extends SimulatedProcess>(process: P): P {
    this.processes.push(process);
    this.live({ what: 'born', place: process.place, process_id: process.id, pid: this.processes.length });
    process.start().catch((error: unknown) => {
      // A program that cannot start says so and ends; its supervisor starts another one.
      this.note(`${process.place} could not start: ${String(error)}`);
      this.end(process, 'drain');
    });
    return process;
  }

  /** It ended by itself, or because it was told to. */
  end(process: SimulatedProcess, by: 'itself' | 'drain' | 'kill'): void {
    if (process.isOver) return;
    this.isUntouched &&= by === 'drain';
    const finished = by === 'drain' && process.hasFinished;
    this.live({ what: 'died', place: process.place, process_id: process.id, by, finished });
    process.kill();
    if (!this.isOver) this.onEnd(process);
  }

  /** Every connection is gone at once; the broker is back after `forMs`. `isWiped`: with empty queues. */
  restartBroker(forMs: number, { isWiped = false } = {}): void {
    const { broker } = this;
    this.brokerRestarts++;
    broker.goDown();
    for (const process of this.living()) process.cutBus();
    if (isWiped) broker.beginToForget();
    this.clock.after(forMs, () => broker.comeBack());
  }

  note(line: string): void {
    this.onNote?.(line);
  }

  placeOf(processId: string): string {
    return this.processes.find(({ id }) => id === processId)?.place ?? processId;
  }

  living(): SimulatedProcess[] {
    return this.processes.filter(({ isOver }) => !isOver);
  }

  gateways(): SimulatedGateway[] {
    return this.living().filter(
      (process) => process instanceof SimulatedGateway && process.isReady,
    ) as SimulatedGateway[];
  }

  nextModelRequest(): number {
    return ++this.modelRequests;
  }

  /** `step`: of a message of a person. */
  noteModelStep(step: string): void {
    if (this.asked.has(step)) this.repeatedRequests++;
    this.asked.add(step);
  }

  live(event: Untimed<LifeEvent>): void {
    this.lives.push({ at: this.clock.wall(), ...event });
    this.note(`${event.what} ${JSON.stringify(event)}`);
  }

  request(request: Untimed<ClientRequest>): void {
    this.requests.push({ at: this.clock.wall(), ...request });
    this.promises.noteRequest(this.requests.at(-1)!);
    this.note(`client ${JSON.stringify(request)}`);
  }

  noteRefusal(viewer: string, request: string, { code }: { code: string }): void {
    this.request({ viewer, what: 'refused', request, code });
  }

  noteStart(process: SimulatedProcess, start: Omit<Start, 'at' | 'worker_pid'>): void {
    const worker_pid = this.processes.indexOf(process) + 1;
    this.starts.push({ at: this.clock.wall(), worker_pid, ...start });
    this.promises.noteStart(this.starts.at(-1)!, process.id);
    this.note(`start ${process.place} ${JSON.stringify(start)}`);
  }

  noteEffect(processId: string, name: string, args: unknown[], result: unknown): void {
    this.promises.noteEffect(name, args, result);
    this.onEffect?.(processId, name, args);
    if (this.onNote) this.note(`${this.placeOf(processId)} ${name} ${describeArgs(args)}`);
  }
}

/** One registry for all: nobody reads it, and building one costs more than a process's start. */
export const metrics = createMetrics({ collectDefaults: false });

/** One for all: compiling a schema costs more than a process's start, and gives the same each time. */
export const schemas = new InputSchemas();

/** Which rows an operation was about. */
function describeArgs(args: readonly unknown[]): string {
  const idOf = (value: unknown): string => {
    if (typeof value === 'object' && value !== null && '_id' in value) return String(value._id);
    return typeof value === 'object' ? JSON.stringify(value).slice(0, 60) : String(value);
  };
  return args.map(idOf).join(' ');
}
