import { settledWithin, type Random, type Timer } from '#time';
import type { User } from '../../people/auth/user.js';
import { watchUser } from '../../people/auth/watch-user.js';
import type { UserTraffic } from '../../door/sockets/user-traffic.js';
import { GenesisSession, type SessionDeps } from './genesis-session.js';
import type { OpenTurns } from './open-turns.js';
import type { Wire } from './wire.js';

/** WebSocket close codes (RFC 6455 §7.4.1, and 1012 of its registry): at all of them the frontend connects again. */
const SERVICE_RESTART = 1012;
const POLICY_VIOLATION = 1008;

/** A killed gateway or a newly cut-off socket may not be known as such yet. */
const RECHECK_MS = [1_000, 2_000, 4_000, 4_000, 8_000, 16_000];
/** By then, sockets of this process that did not answer a probe have ended. */
const PROBED_AFTER_MS = 11_000;
const FORGET_EVERY_MS = 60_000;
/** The part of a drain's grace time for writes after the sockets have ended. */
const CLOSE_GRACE_MS = 500;

export interface GenesisSocketsDeps extends Omit<SessionDeps, 'openTurns'> {
  traffic: Pick<UserTraffic, 'check' | 'receive'>;
  openTurns: OpenTurns;
  random: Pick<Random, 'id'>;
  /** Has another gateway probe the user's sockets there. Never rejects. */
  probeAt(gateway: string, userId: string): Promise<void>;
  /** Called when the number of sockets changes. */
  count(): void;
  /** Whether a previously admitted user may stay. */
  isActive(user: User): Promise<boolean>;
}

interface Connection {
  session: GenesisSession;
  wire: Wire;
  closed: Promise<void>;
  resolveClosed(): void;
  /** Aborted when it has ended: nothing is waited for on its behalf any longer. */
  ended: AbortController;
  stopWatch(): void;
}

/** The events that the adapter of a socket reports. */
export interface SocketListener {
  /** Bytes, of whatever: frames that are not whole yet, pings. `cut off`: the user has sent far too many. */
  arrived(bytes: number): 'fine' | 'cut off';
  /** Undefined: a binary frame. */
  received(text: string | undefined): void;
  /** `isWanted`: the client closed it. */
  ended(isWanted: boolean): void;
}

/** Every `/ws/chat` of this process. */
export class GenesisSockets {
  private readonly connections = new Map<string, Connection>();
  /** By socket: ends that are still being written down. */
  private readonly ends = new Map<string, { userId: string; written: Promise<void> }>();
  private readonly forgetting: Timer;
  private isLeaving = false;

  constructor(private readonly deps: GenesisSocketsDeps) {
    const forget = () => {
      deps.openTurns.forgetOld().catch((error: unknown) => {
        deps.log.warn({ err: error }, 'deleting expired open turns of sockets failed');
      });
    };
    this.forgetting = deps.clock.every(FORGET_EVERY_MS, forget, { unref: true });
  }

  get size(): number {
    return this.connections.size;
  }

  /** The socket has been upgraded. */
  begin(user: User, wire: Wire): SocketListener {
    const { clock, random, isActive } = this.deps;
    const session = new GenesisSession(random.id(), user, wire, this.deps);
    let resolveClosed = (): void => undefined;
    const closed = new Promise<void>((resolve) => (resolveClosed = resolve));
    // The contract has no frame for this, and an `error` would remove the text that is being shown.
    const shutOut = () => wire.close(POLICY_VIOLATION, 'The token has expired.');
    const stopWatch = watchUser(clock, user, isActive, shutOut);
    const ended = new AbortController();
    const connection: Connection = { session, wire, closed, resolveClosed, stopWatch, ended };
    this.probe(user.id);
    this.connections.set(session.id, connection);
    this.deps.count();
    if (this.isLeaving) void this.leave(connection);
    else void this.resume(session, ended.signal);
    return {
      arrived: (bytes) => this.deps.traffic.receive(user.id, bytes),
      received: (text) => session.receive(text),
      ended: (isWanted) => this.finish(connection, isWanted),
    };
  }

  /**
   * A connection that broke silently still looks open: its client may be the one that has just connected, here or to
   * another gateway. Sockets of this user that do not answer a probe are cut off.
   */
  probe(userId: string): void {
    for (const { session, wire } of this.connections.values()) if (session.user.id === userId) wire.probe();
  }

  /** Ends every socket once its current messages are accepted, or after `graceMs`; their clients reconnect. */
  async leaveAll(graceMs: number): Promise<void> {
    this.isLeaving = true;
    const { clock } = this.deps;
    this.forgetting.cancel();
    await settledWithin(clock, this.everyone(), Math.max(0, graceMs - CLOSE_GRACE_MS));
    for (const connection of this.connections.values()) {
      connection.wire.cutOff();
      this.finish(connection, false);
    }
    const ends = [...this.ends.values()].map(({ written }) => written);
    await settledWithin(clock, Promise.all(ends), CLOSE_GRACE_MS);
  }

  private async everyone(): Promise<void> {
    const connections = [...this.connections.values()];
    await Promise.all(connections.map((connection) => this.leave(connection)));
    await Promise.all(connections.map(({ closed }) => closed));
  }

  private async leave({ session, wire }: Connection): Promise<void> {
    await session.settled();
    wire.close(SERVICE_RESTART, 'This process is shutting down. Connect again.');
  }

  private finish(connection: Connection, isWanted: boolean): void {
    const { session } = connection;
    if (!this.connections.delete(session.id)) return;
    connection.stopWatch();
    connection.resolveClosed();
    connection.ended.abort();
    this.deps.count();
    const written = session.end(isWanted).finally(() => this.ends.delete(session.id));
    this.ends.set(session.id, { userId: session.user.id, written });
  }

  private async resume(session: GenesisSession, ended: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    const startedAt = clock.now();
    const probed = new Set<string>();
    for (const delayMs of [0, ...RECHECK_MS]) {
      // Of the look before: one that comes in the moment in which a dead socket is cut off may still see it.
      const isEarly = clock.now() - startedAt < PROBED_AFTER_MS;
      if (delayMs > 0) await clock.sleep(delayMs, ended).catch(() => undefined);
      if (!this.connections.has(session.id) || !(await this.look(session, { isEarly, probed }))) return;
    }
  }

  /** What a socket that has ended leaves to the next one, or does not, is known once that is written down. */
  private async endsOf(userId: string): Promise<void> {
    const ends = [...this.ends.values()].filter((end) => end.userId === userId);
    await Promise.all(ends.map(({ written }) => written));
  }

  /** Whether to look again, because not all turns that may belong to this socket are known. */
  private async look(session: GenesisSession, { isEarly, probed }: Look): Promise<boolean> {
    const { openTurns, log, probeAt } = this.deps;
    const holder = { userId: session.user.id, socket: session.id };
    try {
      await this.endsOf(holder.userId);
      // One that ends while the rows are read may have forgotten its turns: it is looked at next time.
      const open = new Set(this.connections.keys());
      const isOpenHere = (socket: string) =>
        open.has(socket) || this.connections.has(socket) || this.ends.has(socket);
      const look = await openTurns.takeOver(holder, isOpenHere);
      session.resume(look.taken);
      if (look.taken.length > 0) return false;
      for (const gateway of look.moreAt) {
        if (!probed.has(gateway)) void probeAt(gateway, holder.userId);
        probed.add(gateway);
      }
      return look.moreAt.size > 0 || (isEarly && look.isMoreHere);
    } catch (error) {
      log.warn({ err: error }, 'looking up the open turn of a socket failed');
      return true;
    }
  }
}

interface Look {
  /** At the look before it could not be known whose sockets here are dead. */
  isEarly: boolean;
  /** Gateways that have been asked to probe their sockets. */
  probed: Set<string>;
}
