import type { Call } from '#contracts';
import type { Clock } from '#time';
import { toolsetOf, type CallDecision } from '#turn';
import type { CallShares } from './call-shares.js';

/** The calls of one driven turn in the toolsets' queues: which ones were sent, and which are held back. */
export class TurnShare {
  /** The toolset of each counted call, by call id. */
  private readonly known = new Map<string, string>();
  /** The time until which each call was held back, ms since epoch; `Infinity` while it is held. */
  private readonly released = new Map<string, number>();

  constructor(
    private readonly shares: CallShares,
    private readonly userId: string,
    /** A held call may be sent. */
    private readonly wake: () => void,
    private readonly times: {
      clock: Pick<Clock, 'wall'>;
      /** After a takeover: no process knows how long the previous driver held back the open calls. */
      takenOverAt: number | undefined;
    },
  ) {}

  /** Whether the call may be sent now. */
  ask({ tool_call_id, tool_name }: Call): boolean {
    if (!this.shares.counts(this.userId)) return true;
    const toolset = toolsetOf(tool_name);
    this.known.set(tool_call_id, toolset);
    const mayBeSent = this.shares.ask(toolset, tool_call_id, this.userId, () => {
      this.released.set(tool_call_id, this.times.clock.wall());
      this.wake();
    });
    if (!mayBeSent) this.released.set(tool_call_id, Infinity);
    return mayBeSent;
  }

  /** A call's time does not run before this. */
  releasedAt(toolCallId: string): number | undefined {
    return this.released.get(toolCallId) ?? this.times.takenOverAt;
  }

  /**
   * The calls that are open now: all others have ended, running ones count, and those that wait for approval take no
   * place.
   */
  follow(open: readonly CallDecision[]): void {
    const still = new Set(open.map(({ call }) => call.tool_call_id));
    for (const id of this.known.keys()) if (!still.has(id)) this.end(id);
    if (!this.shares.counts(this.userId)) return;
    for (const { call, action } of open) {
      if (action.do === 'await_person') this.end(call.tool_call_id);
      if (action.do === 'nothing') this.count(call);
    }
  }

  private count({ tool_call_id, tool_name }: Call): void {
    if (this.known.has(tool_call_id)) return;
    const toolset = toolsetOf(tool_name);
    this.known.set(tool_call_id, toolset);
    this.shares.count(toolset, tool_call_id, this.userId);
  }

  private end(id: string): void {
    const toolset = this.known.get(id);
    if (toolset === undefined) return;
    this.known.delete(id);
    this.shares.end(toolset, id, this.userId);
  }
}
