import { timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { idOf, newVersion, SealedRows, type ConnectionDeps } from './sealed-row.js';
import { clientSchema } from './grants.js';

const flowSchema = z.object({
  turn_id: z.string(),
  tool_call_id: z.string(),
  /** Where the person is sent. */
  authorization_url: z.string(),
  /** Comes back from the issuer: `<id of the flow>.<secret>`. */
  state: z.string(),
  /** The browser that got the address has this as a cookie. */
  browser: z.string(),
  redirect_uri: z.string(),
  verifier: z.string(),
  client: clientSchema,
  /** What was found out about the issuer, as the SDK keeps it. */
  discovery: z.looseObject({}),
  scope: z.string().optional(),
  /** What the person came back with. */
  given: z
    .object({ code: z.string().optional(), iss: z.string().optional(), error: z.string().optional() })
    .optional(),
});

export type Flow = z.infer<typeof flowSchema>;
export type GivenCode = NonNullable<Flow['given']>;

export interface FlowAbout {
  userId: string;
  server: string;
  issuer: string;
  resource: string;
}

export interface OpenedFlow {
  id: string;
  about: FlowAbout;
  flow: Flow;
}

/**
 * People on the way to an issuer and back. A flow belongs to one call, is used once, and is removed when its time is
 * over.
 */
export class Flows {
  private readonly rows: SealedRows<typeof flowSchema>;

  constructor(private readonly deps: ConnectionDeps) {
    this.rows = new SealedRows(deps, 'flow', flowSchema);
  }

  /** The same for each attempt of the call, so that a person who answers the first helps the second. */
  idFor(toolCallId: string, server: string, round: number): string {
    return idOf('flow', toolCallId, server, round);
  }

  newState(id: string): { state: string; browser: string } {
    return { state: `${id}.${newVersion()}`, browser: newVersion() };
  }

  /** Of several with this id the first one stays. */
  async insert(id: string, about: FlowAbout, flow: Flow, expiresInMs: number): Promise<void> {
    const { userId: user_id, ...rest } = about;
    await this.rows.insert(id, { user_id, ...rest }, flow, expiresInMs);
  }

  async get(id: string): Promise<OpenedFlow | undefined> {
    const found = await this.read(id);
    return found && toFlow(found);
  }

  /** A user's own flow that waits for its person; undefined for every other one. */
  async getOpen(id: string, userId: string): Promise<OpenedFlow | undefined> {
    const found = await this.get(id);
    return found?.about.userId === userId && !found.flow.given ? found : undefined;
  }

  /**
   * Keeps what the person came back with, once. Undefined: there is no such flow, it was used, or another browser
   * comes back.
   *
   * @param browserOf the cookie of a flow
   */
  async giveOnce(
    state: string,
    browserOf: (flowId: string) => string | undefined,
    given: GivenCode,
  ): Promise<OpenedFlow | undefined> {
    const [id = ''] = state.split('.');
    const found = await this.read(id);
    if (!found || found.value.given) return undefined;
    const { value, row } = found;
    if (!isSame(state, value.state) || !isSame(browserOf(id) ?? '', value.browser)) return undefined;
    return (await this.rows.change(row, { ...value, given })) ? toFlow(found) : undefined;
  }

  /** What the person came back with; one caller gets it. */
  async take(id: string): Promise<OpenedFlow | undefined> {
    const found = await this.read(id);
    if (!found?.value.given) return undefined;
    return (await this.deps.store.removeConnection(id, found.row.version)) ? toFlow(found) : undefined;
  }

  /** Nobody will come back. */
  async drop(id: string): Promise<void> {
    await this.deps.store.removeConnection(id);
  }

  private async read(id: string) {
    const found = await this.rows.get(id);
    const { expires_at } = found?.row ?? {};
    const isOver = expires_at !== undefined && Date.parse(expires_at) <= this.deps.clock.wall();
    return isOver ? undefined : found;
  }
}

function toFlow({
  row,
  value,
}: NonNullable<Awaited<ReturnType<SealedRows<typeof flowSchema>['get']>>>): OpenedFlow {
  const { _id, user_id: userId, server, issuer, resource } = row;
  return { id: _id, about: { userId, server, issuer, resource }, flow: value };
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
