import { createHash, randomBytes } from 'node:crypto';
import { idSchema, type Binding } from '#contracts';
import type { Store } from '#store';
import type { Clock } from '#time';
import { notFound, RequestError } from '../../errors/request-error.js';
import type { User } from '../auth/user.js';

export type InvitationStore = Pick<Store, 'insertBinding' | 'getBinding' | 'listBindings' | 'removeBinding'>;

/** As its operator sees it. */
export interface InvitationBody {
  id: string;
  note: string | null;
  created_at: string;
  expires_at: string;
}

const DIALECT = 'invitations';
const TOKEN_BYTES = 32;
const HOUR_MS = 3_600_000;
/** Of one operator: bounds the invitations that a runaway script leaves behind. */
const MAX_OPEN = 1_000;

/**
 * Links that create one account each. The store has only the hash of the token. The sweeper removes expired ones like
 * other bindings.
 */
export class Invitations {
  constructor(
    private readonly store: InvitationStore,
    private readonly clock: Pick<Clock, 'wall'>,
  ) {}

  /** The token is returned here and never again. */
  async create(
    operator: User,
    { hours, note }: { hours: number; note: string | null },
  ): Promise<InvitationBody & { token: string }> {
    if ((await this.list(operator)).length >= MAX_OPEN)
      throw new RequestError('overloaded', `You have ${MAX_OPEN} open invitations. Withdraw some of them.`);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const row: Binding = {
      _id: idOf(token),
      user_id: operator.id,
      dialect: DIALECT,
      key: note ?? '',
      value: 'null',
      at: new Date(this.clock.wall()).toISOString(),
      expires_at: new Date(this.clock.wall() + hours * HOUR_MS).toISOString(),
    };
    await this.store.insertBinding(row);
    return { ...toBody(row), token };
  }

  /** Those of an operator that can still be used, oldest first. */
  async list(operator: User): Promise<InvitationBody[]> {
    const rows = await this.store.listBindings(operator.id, DIALECT);
    return rows
      .filter((row) => this.isOpen(row))
      .map(toBody)
      .sort((a, b) => (a.created_at < b.created_at ? -1 : 1));
  }

  async withdraw(operator: User, id: string): Promise<void> {
    const row = idSchema.safeParse(id).success ? await this.store.getBinding(id) : null;
    if (row?.dialect !== DIALECT || row.user_id !== operator.id) throw notFound();
    await this.store.removeBinding(id);
  }

  /** The id of a token that can be used now. */
  async find(token: string): Promise<string | undefined> {
    const row = await this.store.getBinding(idOf(token));
    return row && this.isOpen(row) ? row._id : undefined;
  }

  /** Called after the insert of its account, which has decided that no other account uses it. */
  async remove(id: string): Promise<void> {
    await this.store.removeBinding(id);
  }

  private isOpen({ dialect, expires_at }: Binding): boolean {
    return dialect === DIALECT && expires_at !== undefined && Date.parse(expires_at) > this.clock.wall();
  }
}

function idOf(token: string): string {
  return `invitation_${createHash('sha256').update(token).digest('base64url')}`;
}

function toBody({ _id, key, at, expires_at }: Binding): InvitationBody {
  return { id: _id, note: key === '' ? null : key, created_at: at, expires_at: expires_at! };
}
