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

  constructor(deps: ConnectionDeps) {
    this.rows = new SealedRows(deps, 'client', clientSchema);
  }

  async get(place: ClientPlace): Promise<Client | undefined> {
    return (await this.rows.get(toId(place)))?.value;
  }

  async save(place: ClientPlace, client: Client): Promise<void> {
    const { issuer, server, redirectUri } = place;
    const about = { user_id: '', server, issuer, resource: redirectUri };
    await this.rows.put(toId(place), about, client);
  }
}

function toId({ issuer, server, redirectUri }: ClientPlace): string {
  return idOf('client', issuer, server, redirectUri);
}
