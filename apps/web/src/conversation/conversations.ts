import type { CallView, TurnView, View } from '#contracts';
import { emptyView, reduce } from '#turn';
import { type Connection, RequestError, type ServerEvent } from '../connection/connection.js';
import { Observable } from '../state/observable.js';
import { noTransient, type Transient, reduceTransient } from './transient.js';
import { noThoughts, reduceThoughts, type Thoughts } from './thoughts.js';

/** The page's state of one conversation. It is replaced, never changed. */
export interface HeldConversation {
  /** Always the result of `reduce`. */
  view: View;
  /** Turns before those of the view, read over HTTP; they have ended and never change. */
  earlierTurns: TurnView[];
  /** True when there are still older ones. */
  hasEarlier: boolean;
  transient: Transient;
  thoughts: Thoughts;
  /** False until the first snapshot. */
  isLoaded: boolean;
  /** Why it could not be joined. */
  problem?: RequestError;
}

const unended = new Set<TurnView['status']>(['queued', 'running', 'awaiting_input']);

export const hasEnded = (turn: TurnView): boolean => !unended.has(turn.status);

/** The turn that is running, or comes next. */
export const activeTurn = (view: View): TurnView | undefined => view.turns.find((turn) => !hasEnded(turn));

/** Its user is asked, and nobody else can answer. */
export function asksUser({ state, approvers }: CallView): boolean {
  return state === 'awaiting_input' || (state === 'awaiting_approval' && !approvers);
}

/** One of its calls waits for its user, whatever else is running. */
export function waitsForPerson(turn: TurnView | undefined): boolean {
  const calls = turn && !hasEnded(turn) ? (turn.steps.at(-1)?.calls ?? []) : [];
  return calls.some(asksUser);
}

/** Joins conversations, reduces their events, and joins them again after each reconnect. */
export class Conversations {
  /** By conversation id; a new map whenever one of them changed. */
  readonly held = new Observable<ReadonlyMap<string, HeldConversation>>(new Map());
  /** Server clock minus this machine's, ms. The highest value counts, because a delay only ever lowers it. */
  serverAheadMs = 0;
  private clockKnown = false;
  private current: string | undefined;
  private readonly joined = new Set<string>();
  private readonly turnEndListeners = new Set<(conversationId: string) => void>();

  constructor(private readonly connection: Connection) {
    connection.onEvent((event) => this.receive(event));
    connection.state.subscribe(() => this.connectionChanged());
  }

  /** Shows this conversation. The previous one is kept only while one of its turns is running. */
  show(conversationId: string | undefined): void {
    const before = this.current;
    this.current = conversationId;
    if (before !== undefined && before !== conversationId) this.leaveIfIdle(before);
    if (conversationId === undefined) return;
    if (!this.held.get().has(conversationId)) this.replace(conversationId, startHolding(conversationId));
    void this.join(conversationId);
  }

  /** Notifies lists when a turn of a held conversation has ended or a new one was accepted. */
  onTurnChange(listener: (conversationId: string) => void): void {
    this.turnEndListeners.add(listener);
  }

  /** Forgets a conversation that has been deleted. */
  forget(conversationId: string): void {
    this.joined.delete(conversationId);
    const next = new Map(this.held.get());
    if (next.delete(conversationId)) this.held.set(next);
  }

  /** Adds a page of older turns at the front; pages that do not adjoin are ignored. */
  addEarlier(conversationId: string, turns: TurnView[], hasEarlier: boolean): void {
    const held = this.held.get().get(conversationId);
    if (!held) return;
    const first = held.earlierTurns[0] ?? held.view.turns[0];
    const last = turns.at(-1);
    if (first && last && last.number !== first.number - 1) return;
    this.replace(conversationId, { ...held, earlierTurns: [...turns, ...held.earlierTurns], hasEarlier });
  }

  private connectionChanged(): void {
    if (this.connection.state.get().phase === 'connected') {
      for (const id of this.held.get().keys()) void this.join(id);
    } else {
      this.joined.clear();
      this.clockKnown = false;
    }
  }

  private async join(conversationId: string): Promise<void> {
    if (this.connection.state.get().phase !== 'connected' || this.joined.has(conversationId)) return;
    this.joined.add(conversationId);
    try {
      await this.connection.request('join', { conversation_id: conversationId });
    } catch (error) {
      this.joined.delete(conversationId);
      const held = this.held.get().get(conversationId);
      const isConnected = this.connection.state.get().phase === 'connected';
      if (held && error instanceof RequestError && isConnected) {
        this.replace(conversationId, { ...held, problem: error });
      }
    }
  }

  private leaveIfIdle(conversationId: string): void {
    const held = this.held.get().get(conversationId);
    if (!held || (held.isLoaded && activeTurn(held.view))) return;
    if (this.joined.has(conversationId)) {
      this.connection.request('leave', { conversation_id: conversationId }).catch(() => {
        // A broken connection has already left.
      });
    }
    this.forget(conversationId);
  }

  private receive(event: ServerEvent): void {
    const id = event.conversation_id;
    this.learnClock(event.timestamp);
    // A sender has joined: the snapshot of a conversation that a message started arrives unrequested.
    if (event.type === 'snapshot') this.joined.add(id);
    if (event.type === 'cancelled' && event.deleted) return this.receiveDeleted(id);
    const held = this.held.get().get(id) ?? startHolding(id);
    const view = reduce(held.view, event);
    const transient = reduceTransient(held.transient, event);
    const thoughts = reduceThoughts(held.thoughts, event);
    const rest = event.type === 'snapshot' ? continueFrom(held, view) : {};
    this.replace(id, { ...held, view, transient: transient, thoughts, ...rest });
    if (['turn_queued', 'complete', 'error', 'cancelled'].includes(event.type)) {
      for (const listener of this.turnEndListeners) listener(id);
      if (id !== this.current) this.leaveIfIdle(id);
    }
  }

  /** It was deleted on another page, or it expired. */
  private receiveDeleted(id: string): void {
    this.joined.delete(id);
    for (const listener of this.turnEndListeners) listener(id);
    if (id !== this.current) return this.forget(id);
    const problem = new RequestError('not_found', 'It was deleted.');
    this.replace(id, { ...startHolding(id), problem });
  }

  private learnClock(timestamp: string): void {
    const aheadMs = Date.parse(timestamp) - Date.now();
    if (Number.isNaN(aheadMs)) return;
    this.serverAheadMs = this.clockKnown ? Math.max(this.serverAheadMs, aheadMs) : aheadMs;
    this.clockKnown = true;
  }

  private replace(conversationId: string, held: HeldConversation): void {
    this.held.set(new Map(this.held.get()).set(conversationId, held));
  }
}

function startHolding(conversationId: string): HeldConversation {
  return {
    view: emptyView(conversationId),
    earlierTurns: [],
    hasEarlier: false,
    transient: noTransient,
    thoughts: noThoughts,
    isLoaded: false,
  };
}

/** A snapshot has only the newest turns. Older turns of the previous view become `earlierTurns` if they adjoin. */
function continueFrom(held: HeldConversation, view: View): Partial<HeldConversation> {
  const first = view.turns[0]?.number ?? 1;
  const older = [...held.earlierTurns, ...held.view.turns].filter(
    (turn) => turn.number < first && hasEnded(turn),
  );
  const joinsOn = older.at(-1)?.number === first - 1;
  return {
    earlierTurns: joinsOn ? older : [],
    hasEarlier: joinsOn ? older[0]!.number > 1 : view.earlier,
    isLoaded: true,
    problem: undefined,
  };
}
