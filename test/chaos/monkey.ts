import type { Faults } from './faults.js';
import type { Fleet, Place } from './fleet.js';
import type { Random } from './random.js';

/** Breaks something every few seconds, and lets it be repaired. */
export class Monkey {
  private isDone = false;
  private readonly repairs: Promise<void>[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly faults: Faults,
    private readonly random: Random,
  ) {}

  async work(): Promise<void> {
    while (!this.isDone) {
      await this.faults.delay(this.random.between(500, 9_000));
      if (!this.isDone) this.repairs.push(this.breakSomething());
    }
  }

  /** Breaks nothing more; resolves when everything is repaired. */
  async stop(): Promise<void> {
    this.isDone = true;
    await Promise.all(this.repairs);
  }

  private breakSomething(): Promise<void> {
    const { random } = this;
    if (random.chance(0.08)) return this.shutStore(random.between(200, 12_000));
    const place = random.pick(this.fleet.places);
    const drawn = random.next();
    if (drawn < 0.45) return this.kill(place);
    if (drawn < 0.65) return this.freeze(place);
    return drawn < 0.85 ? this.disconnect(place) : this.drain(place);
  }

  private async shutStore(ms: number): Promise<void> {
    this.faults.isStoreDown = true;
    await this.faults.delay(ms);
    this.faults.isStoreDown = false;
  }

  private async kill(place: Place): Promise<void> {
    const { process } = place;
    if (!process) return;
    const slow = this.random.chance(0.2);
    await this.fleet.replace(place, process, slow ? this.random.between(5_000, 20_000) : 300);
  }

  private async freeze({ process }: Place): Promise<void> {
    await process?.freeze(this.random.between(200, 20_000), this.faults);
  }

  private async disconnect({ process }: Place): Promise<void> {
    await process?.disconnect(this.random.between(50, 15_000), this.faults);
  }

  private async drain(place: Place): Promise<void> {
    const { process } = place;
    if (!process) return;
    await process.leave(this.random.between(0, 5_000));
    await this.fleet.replace(place, process, 500);
  }
}
