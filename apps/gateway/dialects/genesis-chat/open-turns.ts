import type { Peers } from '#journal';
import type { Store } from '#store';
import type { Clock } from '#time';
import { bySocket, toBinding, toOpenTurn, type OpenTurn } from './open-turn.js';
import { GENESIS_CHAT } from './genesis-chat.js';
import type { FramePlace } from './server-frame.js';

/** The time after its end during which a turn is still shown to a reconnecting socket. */
const SHOWN_AFTER_END_MS = 60_000;
/** The number of sockets that may take over one turn, one after the other. */
const MAX_ATTEMPTS = 100;

export interface OpenTurnsDeps {
  store: Pick<Store, 'insertBinding' | 'listBindings' | 'removeBinding'>;
  peers: Peers;
  /** This gateway's process id. */
  me: string;
  /** Ms since epoch of a turn's end; undefined while it goes on; `gone` if there is no such turn any more. */
  endedAt(turnId: string): Promise<number | undefined | 'gone'>;
  clock: Pick<Clock, 'wall'>;
}

export interface Holder {
  userId: string;
  /** Its id, unique among all processes, for ever. */
  socket: string;
}

export interface TakeOver {
  taken: OpenTurn[];
  /** More is held by sockets that have not ended as far as is known: of this gateway, and of these others. */
  isMoreHere: boolean;
  moreAt: ReadonlySet<string>;
}

/**
 * Stores which turns are being shown on which socket, so that a cut-off socket can continue through any gateway, even
 * if its own was killed. As everywhere, an insert decides: the gateway that inserts the next attempt shows the turn.
 */
export class OpenTurns {
  private order = 0;
  private readonly dropped = new Set<OpenTurn>();

  constructor(private readonly deps: OpenTurnsDeps) {}

  /** The turn is shown on this socket from now on. A resent message takes it over from the socket before. */
  async begin(holder: Holder, place: FramePlace): Promise<OpenTurn> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const turn = await this.insert({ ...place, attempt }, holder);
      if (turn) return turn;
    }
    throw new Error('too many sockets have shown this turn');
  }

  /** Its client has received the end, or does not want it. */
  async forget(turn: OpenTurn): Promise<void> {
    const before = Array.from({ length: turn.attempt - 1 }, (_, i) => ({ ...turn, attempt: i + 1 }));
    // The last attempt goes last: while it is there, those before it mean nothing; without it, no drop does.
    await Promise.all(before.flatMap(withDrop).map((row) => this.remove(row)));
    for (const row of withDrop(turn)) await this.remove(row);
  }

  /** The socket has ended without its client wanting it: the user's next one may take the turn over. */
  async drop(turn: OpenTurn): Promise<void> {
    this.dropped.add(turn);
    await this.deps.store.insertBinding(toBinding({ ...turn, is_dropped: true }));
  }

  /** The turns of the user's oldest cut-off socket, which `holder` shows from now on. */
  async takeOver(holder: Holder, isOpenHere: (socket: string) => boolean): Promise<TakeOver> {
    const rows = await this.deps.store.listBindings(holder.userId, GENESIS_CHAT);
    const { sockets, stray } = bySocket(rows.map(toOpenTurn).filter((turn) => turn !== undefined));
    await Promise.all(stray.map((row) => this.remove(row)));
    const moreAt = new Set<string>();
    for (const turns of sockets) {
      const { gateway } = turns[0]!;
      const taken = (await this.isLost(turns[0]!, isOpenHere)) ? await this.take(turns, holder) : undefined;
      if (!taken) moreAt.add(gateway);
      else if (taken.length > 0) return { taken, isMoreHere: moreAt.delete(this.deps.me), moreAt };
    }
    return { taken: [], isMoreHere: moreAt.delete(this.deps.me), moreAt };
  }

  /** Removes turns for which no client came back. Called periodically. */
  async forgetOld(): Promise<void> {
    for (const turn of [...this.dropped]) if (!(await this.isFresh(turn))) this.dropped.delete(turn);
  }

  private async isLost(turn: OpenTurn, isOpenHere: (socket: string) => boolean): Promise<boolean> {
    const { peers, me } = this.deps;
    if (turn.is_dropped) return true;
    if (turn.gateway === me) return !isOpenHere(turn.socket);
    return (await peers.isDead(turn.gateway)) || (await peers.isSuspect(turn.gateway));
  }

  private async take(turns: OpenTurn[], holder: Holder): Promise<OpenTurn[]> {
    const taken: OpenTurn[] = [];
    for (const turn of turns) {
      if (!(await this.isFresh(turn))) continue;
      const { turn_id, conversation_id, attempt } = turn;
      const mine = await this.insert({ turn_id, conversation_id, attempt: attempt + 1 }, holder);
      if (mine) taken.push(mine);
      // Another socket was faster and has all of them.
      else if (taken.length === 0) return [];
    }
    return taken;
  }

  /** Forgets turns that are too old. */
  private async isFresh(turn: OpenTurn): Promise<boolean> {
    const endedAt = await this.deps.endedAt(turn.turn_id);
    if (
      endedAt === undefined ||
      (endedAt !== 'gone' && this.deps.clock.wall() - endedAt < SHOWN_AFTER_END_MS)
    )
      return true;
    await this.forget(turn);
    return false;
  }

  /** Undefined: this attempt belongs to another socket. */
  private async insert(
    attempt: FramePlace & Pick<OpenTurn, 'attempt'>,
    { userId: user_id, socket }: Holder,
  ): Promise<OpenTurn | undefined> {
    const at = new Date(this.deps.clock.wall()).toISOString();
    const { me: gateway, store } = this.deps;
    const turn = { ...attempt, user_id, at, gateway, socket, order: this.order++, is_dropped: false };
    return (await store.insertBinding(toBinding(turn))).won ? turn : undefined;
  }

  private remove(row: OpenTurn): Promise<void> {
    return this.deps.store.removeBinding(toBinding(row)._id);
  }
}

/** The row of an attempt, and the one that says that its socket has ended. */
function withDrop(attempt: OpenTurn): OpenTurn[] {
  return [false, true].map((is_dropped) => ({ ...attempt, is_dropped }));
}
