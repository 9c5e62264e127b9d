import { controlKey, newMessage, type Body, type Conversation, type TurnOptions } from '#contracts';
import { findModelRefusal, isModelAllowed } from '#llm';
import type { Bus } from '#messaging';
import type { Refusals } from '#observability';
import type { Time } from '#time';
import type { User } from '../people/auth/user.js';
import { ModelNotAllowed } from '../errors/request-error.js';

/** An orchestrator that announced nothing for this long takes no turns. */
const LIFETIME_MS = 30_000;

interface Announcement {
  at: number;
  models: ReadonlyMap<string, string>;
  allowed: readonly string[] | undefined;
  defaultModel: string | undefined;
}

/** Which providers the living orchestrators can ask, and for which models, as they announce it to this gateway. */
export class OfferedModels {
  private readonly announced = new Map<string, Announcement>();

  constructor(
    private readonly bus: Pick<Bus, 'send' | 'connectedForMs'>,
    private readonly processId: string,
    private readonly refusals: Pick<Refusals, 'note'>,
    private readonly time: Time,
  ) {}

  /** Asks every orchestrator to announce itself now instead of within 10 s. */
  async callRoll(): Promise<void> {
    const message = newMessage(this.time, 'model.roll_call', { reply_to: controlKey(this.processId) });
    await this.bus.send('orchestrator.all', message);
  }

  announce({ orchestrator, providers, allowed, default_model }: Body<'model.announce'>): void {
    const models = new Map(providers.map(({ provider, model }) => [provider, model]));
    const at = this.time.clock.now();
    this.announced.set(orchestrator, { at, models, allowed, defaultModel: default_model });
  }

  /** `provider/model`; undefined unless every orchestrator could ask the provider: any of them may take the turn. */
  modelOf(provider: string): string | undefined {
    const models = this.living().map((announcement) => announcement.models.get(provider));
    return models.every((model) => model !== undefined) ? models[0] : undefined;
  }

  /** The model of turns that name none. Undefined: no orchestrator has said it, or they differ. */
  get defaultModel(): string | undefined {
    const [first, ...others] = this.living().map((announcement) => announcement.defaultModel);
    return others.every((model) => model === first) ? first : undefined;
  }

  /** Names and patterns that every orchestrator allows. Undefined: none has said what it allows. */
  get allowed(): readonly string[] | undefined {
    const [first, ...others] = this.allowLists;
    return first?.filter((name) => others.every((list) => isModelAllowed(list, name)));
  }

  /**
   * Throws `ModelNotAllowed` for a model that not every orchestrator allows: any of them may take the turn. While
   * none has said what it allows, the one that takes the turn decides.
   */
  check(model: string | undefined, { id: user_id }: Pick<User, 'id'>): void {
    if (model === undefined) return;
    const [refusal] = this.allowLists.flatMap((list) => findModelRefusal(list, model) ?? []);
    if (refusal === undefined) return;
    this.refusals.note('models.allow', { user_id });
    throw new ModelNotAllowed(refusal);
  }

  /** The same for a new turn. One that asks no model may be in a conversation whose model is not allowed any more. */
  checkTurn(
    user: Pick<User, 'id'>,
    { model, call }: TurnOptions = {},
    conversation: Pick<Conversation, 'model'> | null,
  ): void {
    this.check(model ?? (call ? undefined : conversation?.model || undefined), user);
  }

  private get allowLists(): (readonly string[])[] {
    return this.living().flatMap(({ allowed }) => (allowed ? [allowed] : []));
  }

  private living(): Announcement[] {
    const now = this.time.clock.now();
    // A process that could not be heard has not been silent.
    const heardForMs = this.bus.connectedForMs();
    for (const [orchestrator, { at }] of this.announced)
      if (Math.min(now - at, heardForMs) >= LIFETIME_MS) this.announced.delete(orchestrator);
    return [...this.announced.values()];
  }
}
