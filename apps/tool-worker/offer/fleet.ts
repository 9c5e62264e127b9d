import type { Body } from '#contracts';
import { controlKey, newMessage } from '#contracts';
import type { Bus } from '#messaging';
import type { Time } from '#time';
import { Catalogue } from '#tools';

/** The living workers by their announcements, this one included. Fleet-wide rates are divided by their number. */
export class Fleet {
  private readonly catalogue = new Catalogue();

  constructor(
    private readonly deps: Time & { bus: Pick<Bus, 'send' | 'connectedForMs'>; processId: string },
  ) {}

  /** Asks the others to announce themselves now instead of within 10 s. */
  async callRoll(): Promise<void> {
    const reply_to = controlKey(this.deps.processId);
    await this.deps.bus.send('worker.all', newMessage(this.deps, 'catalog.roll_call', { reply_to }));
  }

  announce({ worker, toolsets }: Body<'catalog.announce'>): void {
    this.catalogue.announce(worker, toolsets, this.deps.clock.now());
  }

  withdraw({ worker }: Body<'catalog.withdraw'>): void {
    this.catalogue.withdraw(worker);
  }

  /** Whether a living worker of the toolset has the tool in this major version. */
  hasMajor(toolset: string, toolName: string, major: number): boolean {
    this.expire();
    return this.catalogue.hasMajor(toolset, toolName, major);
  }

  /** At least this one. */
  workersOf(toolset: string): number {
    this.expire();
    return Math.max(1, this.catalogue.workersOf(toolset));
  }

  private expire(): void {
    this.catalogue.expire(this.deps.clock.now(), this.deps.bus.connectedForMs());
  }
}
