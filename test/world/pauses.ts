import { switchIdOf, type Switch } from '#contracts';
import { toolsetOf } from '#turn';

/** Every process has read a switch by then: the time between two beats, and a slow store. */
const KNOWN_MS = 3_000;
/** The longest that a process may be frozen, or the store away. */
const KNOWN_IN_TROUBLE_MS = 30_000;

/** Which tools are paused, and for how long they have been. */
export class Pauses {
  private readonly setAt = new Map<string, number>();

  constructor(
    private readonly now: () => number,
    private readonly isUntouched: () => boolean,
  ) {}

  /** Setting it again does not begin it again. */
  set({ _id }: Switch): void {
    if (!this.setAt.has(_id)) this.setAt.set(_id, this.now());
  }

  undo(id: string): void {
    this.setAt.delete(id);
  }

  isPaused(toolName: string): boolean {
    return this.isPausedFor(toolName, 0);
  }

  /** So long that no process may claim a call of it. */
  areKnown(toolName: string): boolean {
    const knownMs = this.isUntouched() ? KNOWN_MS : KNOWN_IN_TROUBLE_MS;
    return this.isPausedFor(toolName, knownMs);
  }

  private isPausedFor(toolName: string, ms: number): boolean {
    const switches = [switchIdOf('tool', toolName), switchIdOf('toolset', toolsetOf(toolName))];
    return switches.some((id) => this.now() - (this.setAt.get(id) ?? Infinity) >= ms);
  }
}
