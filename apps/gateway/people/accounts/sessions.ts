import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { idSchema, type Binding } from '#contracts';
import type { Store } from '#store';
import { FreshReads, type Clock } from '#time';
import { notFound } from '../../errors/request-error.js';

export type SessionStore = Pick<
  Store,
  'insertBinding' | 'getBinding' | 'listBindings' | 'removeBinding' | 'prolongBinding'
>;

/** As its person sees it. */
export interface SessionBody {
  id: string;
  /** The browser, as it describes itself; cut. */
  device: string;
  /** Lasts beyond the end of the browser. */
  stays: boolean;
  created_at: string;
  /** May be one hour older than the last use; of one that stays, thirty. */
  used_at: string;
  expires_at: string;
}

export interface NewSession {
  /** Opens the session. It is returned here and never again: the store has its hash. */
  token: string;
  /** How long the browser is to keep it; undefined: until it is closed. */
  maxAgeMs: number | undefined;
}

const DIALECT = 'sessions';
const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
/** After the last use. */
const SHORT_MS = 24 * HOUR_MS;
const LONG_MS = 30 * SHORT_MS;
/** Part of the lifetime after which a use extends it: a use that writes must be rare. */
const PROLONGED_AFTER = 1 / 24;
/** Of one person. The one that was unused for the longest makes room for another. */
const MAX_SESSIONS = 50;
const MAX_DEVICE_LENGTH = 200;
/** How long a gateway trusts what it has read: with the time between two looks at a socket, less than 30 s. */
const CACHE_LIMITS = { freshMs: 5_000, maxRemembered: 10_000 };

const valueSchema = z.object({ device: z.string(), stays: z.boolean() });

/**
 * Who stays signed in on which browser, with `AUTH=local`. Each lasts for a while after its last use. The sweeper
 * removes expired ones like other bindings.
 */
export class Sessions {
  private readonly known: FreshReads<Binding | null>;

  constructor(
    private readonly store: SessionStore,
    private readonly clock: Pick<Clock, 'now' | 'wall'>,
  ) {
    this.known = new FreshReads(clock, CACHE_LIMITS);
  }

  async begin(userId: string, { device, stays }: { device: string; stays: boolean }): Promise<NewSession> {
    const open = await this.rowsOf(userId);
    const surplus = open.sort(byUse).slice(0, Math.max(0, open.length - MAX_SESSIONS + 1));
    await Promise.all(surplus.map(({ _id }) => this.remove(_id)));
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const row: Binding = {
      _id: idOf(token),
      user_id: userId,
      dialect: DIALECT,
      key: '',
      value: JSON.stringify({ device: device.slice(0, MAX_DEVICE_LENGTH), stays }),
      at: this.after(0),
      expires_at: this.after(lifetimeOf(stays)),
    };
    await this.store.insertBinding(row);
    return { token, maxAgeMs: stays ? LONG_MS : undefined };
  }

  /** The open session of this token. Counts as a use. */
  async find(token: string): Promise<{ id: string; userId: string } | undefined> {
    const id = idOf(token);
    const row = await this.use(id);
    return row && { id, userId: row.user_id };
  }

  /** Whether it was neither ended nor has expired. Counts as a use. */
  async isOpen(id: string): Promise<boolean> {
    return (await this.use(id)) !== undefined;
  }

  /** The open ones of a person, the last used first. */
  async list(userId: string): Promise<SessionBody[]> {
    return (await this.rowsOf(userId)).sort(byUse).reverse().map(toBody);
  }

  /** Other gateways follow within 30 s. Throws `RequestError` `not_found`. */
  async end(userId: string, id: string): Promise<void> {
    const row = idSchema.safeParse(id).success ? await this.store.getBinding(id) : null;
    if (row?.dialect !== DIALECT || row.user_id !== userId) throw notFound();
    await this.remove(id);
  }

  private async use(id: string): Promise<Binding | undefined> {
    const row = await this.known.get(id, () => this.store.getBinding(id));
    if (!row || !this.lasts(row)) return undefined;
    const lifetimeMs = lifetimeOf(toBody(row).stays);
    const leftMs = Date.parse(row.expires_at!) - this.clock.wall();
    if (leftMs < lifetimeMs * (1 - PROLONGED_AFTER)) {
      // Before the write: those who ask meanwhile must not write, too.
      row.expires_at = this.after(lifetimeMs);
      await this.store.prolongBinding(id, row.expires_at);
    }
    return row;
  }

  private async rowsOf(userId: string): Promise<Binding[]> {
    return (await this.store.listBindings(userId, DIALECT)).filter((row) => this.lasts(row));
  }

  private async remove(id: string): Promise<void> {
    await this.store.removeBinding(id);
    this.known.forget(id);
  }

  private lasts({ dialect, expires_at }: Binding): boolean {
    return dialect === DIALECT && expires_at !== undefined && Date.parse(expires_at) > this.clock.wall();
  }

  private after(ms: number): string {
    return new Date(this.clock.wall() + ms).toISOString();
  }
}

function idOf(token: string): string {
  return `session_${createHash('sha256').update(token).digest('base64url')}`;
}

function lifetimeOf(stays: boolean): number {
  return stays ? LONG_MS : SHORT_MS;
}

function toBody({ _id, value, at, expires_at }: Binding): SessionBody {
  const { device, stays } = valueSchema.parse(JSON.parse(value));
  const used_at = new Date(Date.parse(expires_at!) - lifetimeOf(stays)).toISOString();
  return { id: _id, device, stays, created_at: at, used_at, expires_at: expires_at! };
}

function byUse(a: Binding, b: Binding): number {
  return toBody(a).used_at < toBody(b).used_at ? -1 : 1;
}
