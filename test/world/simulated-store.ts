import { isDeepStrictEqual } from 'node:util';
import { StoreUnavailableError, type Inserted, type Store } from '#store';
import type { ProcessClock } from '#time/testing';
import type { World } from './world.js';

type Method = (...args: unknown[]) => Promise<unknown>;
type Decision = Inserted<{ _id: string }>;

/** Inserts that one process wins: their adapter knows its own row again when the answer to it was lost. */
const DECISIONS = new Set([
  'claim',
  'settle',
  'commitStep',
  'answer',
  'insertTurn',
  'insertConversation',
  'insertBinding',
]);
/** Of the store itself, not of this process's connection. */
const OWN = new Set(['open', 'close', 'ping']);

/**
 * The world's store as one process reaches it: before and after its effect every operation is on its way for a while,
 * so what two of them do may come in any order. A process that is killed may or may not have written what was under way.
 */
export class SimulatedStore {
  readonly store: Store;
  /** No operation gets through until then. */
  isCut = false;
  private readonly unanswered = new Set<string>();

  constructor(
    private readonly world: World,
    private readonly clock: ProcessClock,
    private readonly processId: () => string,
  ) {
    this.store = new Proxy(world.database, {
      get: (database, name) => {
        const value: unknown = Reflect.get(database, name, database);
        if (typeof value !== 'function') return value;
        if (OWN.has(String(name))) return async () => undefined;
        if (name === 'time') return () => this.operate('time', async () => world.clock.wall(), []);
        return (...args: unknown[]) => this.operate(String(name), value.bind(database) as Method, args);
      },
    });
  }

  private operate(name: string, effect: Method, args: unknown[]): Promise<unknown> {
    const { random, faults } = this.world;
    const heldMs = faults.heldMs(name, args);
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void) => this.clock.after(faults.storeDelayMs(), settle);
      const fail = () => answer(() => reject(new StoreUnavailableError('The simulated store is away.')));
      const arrive = async () => {
        const mishap = this.isCut ? 'before' : faults.storeMishap(name);
        if (mishap === 'before') return fail();
        const row = args[0] as { _id: string };
        const key = `${name} ${row?._id}`;
        const found = await effect(...args);
        const result = DECISIONS.has(name) ? this.recognise(key, row, found as Decision) : found;
        this.world.noteEffect(this.processId(), name, args, result);
        if (mishap === 'after') {
          if (DECISIONS.has(name)) this.unanswered.add(key);
          return fail();
        }
        answer(() => resolve(result));
      };
      const leave = () => {
        // What has left the machine arrives even if the process is dead by then.
        const way = random.float() < 0.5 ? this.clock : this.world.clock;
        way.after(faults.storeDelayMs() + heldMs, () => {
          arrive().catch((error: unknown) => answer(() => reject(error)));
        });
      };
      if (this.clock.state === 'running') leave();
      else this.clock.soon(leave);
    });
  }

  /** A repeated insert whose answer was lost finds its own row. */
  private recognise(key: string, row: { _id: string }, result: Decision | 'taken'): Decision | 'taken' {
    const wasUnanswered = this.unanswered.delete(key);
    if (!wasUnanswered || result === 'taken' || result.won) return result;
    const plain: unknown = JSON.parse(JSON.stringify(row));
    return isDeepStrictEqual(result.row, plain) ? { won: true, row: result.row } : result;
  }
}
