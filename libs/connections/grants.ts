import { z } from 'zod';
import type { Clock } from '#time';
import { idOf, newVersion, SealedRows, type ConnectionDeps } from './sealed-row.js';

/** Our registration at an issuer, as it gave it to us. */
export const clientSchema = z.looseObject({ client_id: z.string(), client_secret: z.string().optional() });

export const grantSchema = z.object({
  /** As the token endpoint answered. */
  tokens: z.looseObject({
    access_token: z.string(),
    token_type: z.string(),
    refresh_token: z.string().optional(),
    scope: z.string().optional(),
  }),
  /** Milliseconds since 1970; absent: the issuer did not say. */
  expires_at: z.number().optional(),
  /** The client that the tokens were given to. */
  client: clientSchema,
  /** Where they can be given back (RFC 7009), and how a client identifies itself there. */
  revocation: z.object({ endpoint: z.string(), methods: z.array(z.string()).optional() }).optional(),
});

export type Client = z.infer<typeof clientSchema>;
export type Grant = z.infer<typeof grantSchema>;

/** What one access is about. `resource`: what the server calls itself, or its address. */
export interface GrantPlace {
  userId: string;
  issuer: string;
  resource: string;
}

export interface KnownGrant {
  id: string;
  version: string;
  grant: Grant;
}

/** What a person sees of one access: never a token. */
export interface GrantSummary {
  id: string;
  server: string;
  issuer: string;
  resource: string;
  /** When it was given or last refreshed. */
  at: string;
}

/** Longer than a refresh takes: a claim that stands this long belongs to a lost process. */
const CLAIM_MS = 30_000;
/** Claims that lost processes leave are removed then. */
const CLAIM_ROW_MS = 86_400_000;
const LOOK_EVERY_MS = 100;
const MAX_CLAIMS = 5;

/** The tokens of all users. Each access has one set of tokens, which every process reads from the store. */
export class Grants {
  private readonly rows: SealedRows<typeof grantSchema>;

  constructor(private readonly deps: ConnectionDeps & { clock: Pick<Clock, 'now' | 'wall' | 'sleep'> }) {
    this.rows = new SealedRows(deps, 'tokens', grantSchema);
  }

  get({ userId, issuer, resource }: GrantPlace): Promise<KnownGrant | undefined> {
    return this.read(idOf('tokens', userId, issuer, resource));
  }

  /** Replaces what was there. */
  async save(place: GrantPlace, server: string, grant: Grant): Promise<void> {
    const { userId: user_id, issuer, resource } = place;
    await this.rows.put(
      idOf('tokens', user_id, issuer, resource),
      { user_id, server, issuer, resource },
      grant,
    );
  }

  async list(userId: string): Promise<GrantSummary[]> {
    const rows = await this.rows.listOf(userId);
    return rows
      .map(({ _id: id, server, issuer, resource, at }) => ({ id, server, issuer, resource, at }))
      .sort((a, b) => (a.server === b.server ? compare(a.id, b.id) : compare(a.server, b.server)));
  }

  /**
   * Removes a user's access. Returns what was there, to give it back to the issuer: `null` when no key opens it;
   * undefined: this user has no such access.
   */
  async remove(userId: string, id: string): Promise<Grant | null | undefined> {
    const row = await this.deps.store.getConnection(id);
    if (row?.kind !== 'tokens' || row.user_id !== userId) return undefined;
    const known = await this.read(id);
    return (await this.deps.store.removeConnection(id)) ? (known?.grant ?? null) : undefined;
  }

  /** The issuer no longer accepts them. Later tokens stay. */
  async forget({ id, version }: KnownGrant): Promise<void> {
    await this.deps.store.removeConnection(id, version);
  }

  /**
   * Lets one process of the fleet renew these tokens, while the others wait for it. Resolves to what then counts;
   * undefined: the person has to give access again.
   *
   * @param renew undefined: the issuer refuses for good; rejects when it could not be asked
   */
  async refresh(
    known: KnownGrant,
    renew: (grant: Grant) => Promise<Grant | undefined>,
    signal?: AbortSignal,
  ): Promise<KnownGrant | undefined> {
    const { store, clock } = this.deps;
    let attempt = 1;
    let seen: string | undefined;
    // Machines do not agree about the time of day, so each process waits for itself.
    let seenAt = clock.now();
    while (attempt <= MAX_CLAIMS) {
      const { id, isWon, version } = await this.claim(known, attempt);
      if (version !== seen) [seen, seenAt] = [version, clock.now()];
      // The claim of this version may have been removed by its winner, after the new tokens were there.
      const now = await this.read(known.id);
      if (now?.version !== known.version) {
        if (isWon) await store.removeConnection(id);
        return now;
      }
      if (isWon) return this.renew(known, renew, id);
      if (clock.now() - seenAt < CLAIM_MS) await clock.sleep(LOOK_EVERY_MS, signal);
      else attempt++;
    }
    throw new Error('Tokens could not be refreshed: every process that tried was lost.');
  }

  private async renew(
    known: KnownGrant,
    renew: (grant: Grant) => Promise<Grant | undefined>,
    claimId: string,
  ): Promise<KnownGrant | undefined> {
    try {
      const grant = await renew(known.grant);
      if (grant) await this.rows.change({ _id: known.id, version: known.version }, grant);
      else await this.forget(known);
      return await this.read(known.id);
    } finally {
      await this.deps.store.removeConnection(claimId);
    }
  }

  private async claim(
    { id, version }: KnownGrant,
    attempt: number,
  ): Promise<{ id: string; isWon: boolean; version: string }> {
    const now = this.deps.clock.wall();
    const claimId = idOf('claim', id, version, attempt);
    const { won, row } = await this.deps.store.insertConnection({
      _id: claimId,
      kind: 'claim',
      ...{ user_id: '', server: '', issuer: '', resource: '', sealed: '', version: newVersion() },
      at: new Date(now).toISOString(),
      expires_at: new Date(now + CLAIM_ROW_MS).toISOString(),
    });
    return { id: claimId, isWon: won, version: row.version };
  }

  private async read(id: string): Promise<KnownGrant | undefined> {
    const opened = await this.rows.get(id);
    return opened && { id, version: opened.row.version, grant: opened.value };
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
