import { clientSchema, type Client } from './grants.js';
import { idOf, SealedRows, type ConnectionDeps } from './sealed-row.js';

/** A registration holds for one issuer, for the server that it was made for, and for one address to come back to. */
export interface ClientPlace {
  issuer: string;
  server: string;
  redirectUri: string;
}

/** Our registrations at issuers, which all users share. */
export class Clients {
  private readonly rows: SealedRows<typeof clientSchema>;

  constructor(private readonly deps: ConnectionDeps) {
    this.rows = new SealedRows(deps, 'client', clientSchema);
  }

  async get(place: ClientPlace): Promise<Client | undefined> {
    const client = (await this.rows.get(toId(place)))?.value;
    return client && !this.isOver(client) ? client : undefined;
  }

  /** The issuer no longer knows it: the next person makes another one. */
  async forget(place: ClientPlace): Promise<void> {
    await this.deps.store.removeConnection(toId(place));
  }

  async save(place: ClientPlace, client: Client): Promise<void> {
    const { issuer, server, redirectUri } = place;
    const about = { user_id: '', server, issuer, resource: redirectUri };
    await this.rows.put(toId(place), about, client);
  }

  /** RFC 7591, section 3.2.1: seconds since 1970, or 0. */
  private isOver({ client_secret_expires_at: at }: Client): boolean {
    return typeof at === 'number' && at > 0 && at * 1000 <= this.deps.clock.wall();
  }
}

function toId({ issuer, server, redirectUri }: ClientPlace): string {
  return idOf('client', issuer, server, redirectUri);
}
