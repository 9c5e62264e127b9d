import { setTimeout as delay } from 'node:timers/promises';
import { controlKey, newMessage, type Body, type CatalogTool, type ToolChoice } from '#contracts';
import type { Bus } from '#messaging';
import { Catalogue, Offer } from '#tools';

/** Whoever lives has answered a roll-call by then. */
const ROLL_CALL_MS = 1_000;

/** What the living workers offer, as they announce it to this gateway, without what the deployment keeps back. */
export class OfferedTools {
  private readonly catalogue = new Catalogue();
  private readonly offer: Offer;
  private readonly listeners: (() => void)[] = [];
  private toldHash = '';
  private answered: Promise<void> = Promise.resolve();

  constructor(
    private readonly bus: Pick<Bus, 'send' | 'connectedForMs'>,
    private readonly processId: string,
    choice: ToolChoice | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.offer = new Offer([{ by: 'deployment', choice }]);
  }

  /** Asks every worker to announce itself now instead of within 10 s. */
  async callRoll(): Promise<void> {
    const message = newMessage('catalog.roll_call', { reply_to: controlKey(this.processId) });
    await this.bus.send('worker.all', message);
    this.answered = delay(ROLL_CALL_MS, undefined, { ref: false });
  }

  /** Resolves when every worker has had the time to answer the last roll-call: who is not in the list then is away. */
  rollCalled(): Promise<void> {
    return this.answered;
  }

  announce({ worker, toolsets }: Body<'catalog.announce'>): void {
    this.catalogue.announce(worker, toolsets, this.now());
    this.tellChange();
  }

  withdraw({ worker }: Body<'catalog.withdraw'>): void {
    this.catalogue.withdraw(worker);
    this.tellChange();
  }

  /** After every announcement that changes the list. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  list(): CatalogTool[] {
    this.catalogue.expire(this.now(), this.bus.connectedForMs());
    return this.offer.filter(this.catalogue.offered());
  }

  private tellChange(): void {
    const { hash } = this.catalogue;
    if (hash === this.toldHash) return;
    this.toldHash = hash;
    for (const listener of this.listeners) listener();
  }
}
