import { controlKey, newMessage, type Body } from '#contracts';
import type { Bus } from '#messaging';

/** An orchestrator that announced nothing for so long takes no turns. */
const LIFETIME_MS = 30_000;

/** Which providers the living orchestrators can ask, and for which model, as they announce it to this gateway. */
export class OfferedModels {
  private readonly announced = new Map<string, { at: number; models: Map<string, string> }>();

  constructor(
    private readonly bus: Pick<Bus, 'send' | 'connectedForMs'>,
    private readonly processId: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Asks every orchestrator to announce itself now instead of within 10 s. */
  async callRoll(): Promise<void> {
    const message = newMessage('model.roll_call', { reply_to: controlKey(this.processId) });
    await this.bus.send('orchestrator.all', message);
  }

  announce({ orchestrator, providers }: Body<'model.announce'>): void {
    const models = new Map(providers.map(({ provider, model }) => [provider, model]));
    this.announced.set(orchestrator, { at: this.now(), models });
  }

  /** `provider/model`; undefined unless every orchestrator could ask the provider: any of them may take the turn. */
  modelOf(provider: string): string | undefined {
    const models = this.living().map((announcement) => announcement.models.get(provider));
    return models.every((model) => model !== undefined) ? models[0] : undefined;
  }

  private living() {
    const now = this.now();
    // Who could not be heard has not been silent.
    const heardForMs = this.bus.connectedForMs();
    for (const [orchestrator, { at }] of this.announced)
      if (Math.min(now - at, heardForMs) >= LIFETIME_MS) this.announced.delete(orchestrator);
    return [...this.announced.values()];
  }
}
