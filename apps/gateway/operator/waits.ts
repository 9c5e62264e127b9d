import {
  idSchema,
  type Journal,
  type ListedProcess,
  type ListedTurn,
  type TurnTimeline,
  type Waiting,
} from '#contracts';
import { livenessOfOwners, type KnownSwitches, type Ports } from '#journal';
import { endingStep, holderOf, openCalls, timelineOf, toolsetOf, whyWaiting } from '#turn';
import { OneByOne } from '#limits';
import { FreshReads, yieldToEventLoop } from '#time';
import { notFound } from '../errors/request-error.js';
import type { User } from '../people/auth/user.js';
import type { FleetReader } from './fleet-reader.js';

const MAX_LETTERS = 50;
/** Even without its content a turn may be large, and only a line of each is kept. */
const TURNS_AT_ONCE = 2;
const FRESH = { freshMs: 1_000, maxRemembered: 10 };
/** No user id is empty. */
const EVERYBODY = '';

/** Why turns wait, and what has happened to them. */
export class Waits {
  private readonly lines = new OneByOne();
  /** By limit: many operators may have the page open. */
  private readonly lists: FreshReads<ListedTurn[]>;

  constructor(
    private readonly ports: Ports,
    private readonly fleet: FleetReader,
    private readonly switches: Pick<KnownSwitches, 'pauseOf'>,
  ) {
    this.lists = new FreshReads(ports.clock, FRESH);
  }

  /** Turns that are not over, those first that the sweeper looks at first. */
  list(limit: number): Promise<ListedTurn[]> {
    return this.lists.get(String(limit), () => this.lines.run(EVERYBODY, () => this.readList(limit)));
  }

  private async readList(limit: number): Promise<ListedTurn[]> {
    const turns = await this.ports.store.listDueTurns(Number.MAX_SAFE_INTEGER, limit);
    const processes = await this.fleet.listProcesses();
    const listed: ListedTurn[] = [];
    for (const ids of chunksOf(turns.map(({ _id }) => _id))) {
      const journals = await this.ports.store.readOutlines(ids);
      await yieldToEventLoop(this.ports.clock);
      listed.push(...(await Promise.all(journals.map((journal) => this.describe(journal, processes)))));
    }
    return listed.filter(({ waiting }) => waiting !== null);
  }

  /** Of anybody's turn. Throws `not_found`. */
  timeline(operator: User, turnId: string): Promise<TurnTimeline> {
    const whole = (id: string) => this.ports.store.readJournal(id);
    return this.inLine(operator, turnId, whole, async (journal) => {
      const [letters, processes] = await Promise.all([
        this.ports.store.listDeadLettersOfTurn(turnId, MAX_LETTERS),
        this.fleet.listProcesses(),
      ]);
      return { ...(await this.describe(journal, processes)), timeline: timelineOf(journal, letters) };
    });
  }

  /** Null: the turn is over. */
  why(user: User, turnId: string): Promise<Waiting | null> {
    const outline = async (id: string) => (await this.ports.store.readOutlines([id]))[0] ?? null;
    return this.inLine(user, turnId, outline, async (journal) =>
      this.waiting(journal, await this.fleet.listProcesses()),
    );
  }

  /** One turn for a person at a time, because its journal may have many megabytes; others go on in between. */
  private inLine<T>(
    user: User,
    turnId: string,
    read: (turnId: string) => Promise<Journal | null>,
    describe: (journal: Journal) => Promise<T>,
  ): Promise<T> {
    return this.lines.run(user.id, async () => {
      const journal = idSchema.safeParse(turnId).success ? await read(turnId) : null;
      if (!journal) throw notFound();
      await yieldToEventLoop(this.ports.clock);
      return describe(journal);
    });
  }

  private async describe(journal: Journal, processes: readonly ListedProcess[]): Promise<ListedTurn> {
    const { _id: turn_id, conversation_id, number, user_id, at, status } = journal.turn;
    const waiting = await this.waiting(journal, processes);
    return { turn_id, conversation_id, number, user_id, at, status, waiting };
  }

  private async waiting(journal: Journal, processes: readonly ListedProcess[]): Promise<Waiting | null> {
    const { store, clock, me } = this.ports;
    const { conversation_id } = journal.turn;
    const toolsets = new Set(openCalls(journal).map(({ call }) => toolsetOf(call.tool_name)));
    const [conversation, earlier, liveness, turnsQueued, ...states] = await Promise.all([
      store.getConversation(conversation_id),
      this.earlier(journal),
      livenessOfOwners(this.ports, journal.claims),
      this.fleet.messagesIn('turns'),
      ...[...toolsets].map((name) => this.fleet.toolset(name, processes)),
    ]);
    const queues = new Map(
      states.map(({ name, running: _running, slots: _slots, ...state }) => [name, state]),
    );
    const waiting = whyWaiting(journal, {
      now: clock.wall(),
      me,
      liveness,
      deleted: conversation?.deleted_at !== undefined,
      earlier,
      fleet: {
        orchestrators: processes.filter(takesTurns).length,
        turnsQueued,
        queueOf: (toolName) => queues.get(toolsetOf(toolName)) ?? { workers: 0, per_second: 0 },
        isPaused: (toolName) => this.switches.pauseOf(toolName) !== undefined,
      },
    });
    return waiting ?? null;
  }

  /** The turn before this one that has not ended, while nobody drives this one. */
  private async earlier(journal: Journal): Promise<{ number: number } | undefined> {
    const { turn } = journal;
    if (holderOf(journal, turn._id)) return undefined;
    const { store } = this.ports;
    const { conversation_id } = turn;
    const unended = await store.listUnendedTurns(conversation_id);
    const before = unended.filter(({ number }) => number < turn.number);
    if (before.length === 0) return undefined;
    // The cached status may lag behind the journal.
    const journals = await store.readOutlines(before.map(({ _id }) => _id));
    return journals.find((other) => !endingStep(other))?.turn;
  }
}

function takesTurns({ role, is_alive, load }: ListedProcess): boolean {
  return role === 'orchestrator' && is_alive && load.draining !== true;
}

function chunksOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / TURNS_AT_ONCE);
  return Array.from({ length: count }, (_, i) => ids.slice(i * TURNS_AT_ONCE, (i + 1) * TURNS_AT_ONCE));
}
