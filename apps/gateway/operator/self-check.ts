import type { Checked } from '#contracts';
import { sharedQueues, type Bus } from '#messaging';
import { checkStore, type Store } from '#store';

export interface SelfCheckDeps {
  store: Pick<Store, 'ping' | 'findMissing' | 'listConversationIds'>;
  bus: Pick<Bus, 'inspect' | 'takesMessages'>;
}

/** What a running process sees of its store and its broker. */
export class SelfCheck {
  constructor(private readonly deps: SelfCheckDeps) {}

  async check(): Promise<Checked[]> {
    const { store } = this.deps;
    return [...(await checkStore(store, 'the store of the running process')), ...(await this.checkBus())];
  }

  private async checkBus(): Promise<Checked[]> {
    const { bus } = this.deps;
    const subject = 'messages';
    const broken = (text: string, mend: string): Checked => ({ subject, level: 'error', text, mend });
    if (!bus.takesMessages())
      return [broken('the running process cannot publish', 'Check the broker: connection, memory, disk.')];
    const found: Checked[] = [];
    for (const queue of sharedQueues) {
      const state = await bus.inspect(queue).catch((error: unknown) => error as Error);
      if (state instanceof Error) found.push(broken(state.message, 'Check the broker.'));
      else if (state === 'missing' || state.consumers === 0)
        found.push(broken(`nobody consumes the queue ${queue}`, 'Start an orchestrator.'));
    }
    if (found.length > 0) return found;
    return [{ subject, level: 'ok', text: 'the running process publishes, and orchestrators consume' }];
  }
}
