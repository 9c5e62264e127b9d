import { LOCAL_USER_ID, newMessage, type Body } from '#contracts';
import { FairLine, type Report } from '#limits';
import type { Refusals } from '#observability';
import type { Timer } from '#time';
import type { OrchestratorDeps } from '../deps/orchestrator.deps.js';
import type { QueueInspections } from './queue-inspections.js';

/** A change is sent at once, but not more often than this. */
const SEND_AGAIN_MS = 250;
/** While it matters, an unchanged state is sent and checked this often. */
const REPEAT_MS = 1_000;
/** The time that others have to report their calls once a process has its part of the places. */
const SETTLE_MS = 50;
/** A toolset that has been calm for this long is forgotten. */
const CALM_MS = 3_000;
/** Beyond this number of users of one toolset, only the sum is sent. */
const MAX_USERS = 500;

type Counted = Body<'calls.counted'>['toolsets'][number];

export interface CallSharesDeps extends Pick<
  OrchestratorDeps,
  'bus' | 'processId' | 'peers' | 'metrics' | 'settings' | 'clock' | 'random'
> {
  /** The number of calls of a toolset that all workers run at once. */
  placesOf: (toolset: string) => number;
  queues: Pick<QueueInspections, 'inspect'>;
  refusals: Pick<Refusals, 'note'>;
}

/**
 * Fair shares of the toolsets' queues: decides which calls of the turns driven here may be sent, and which wait with
 * their drivers. As soon as the queue may become full, orchestrators tell each other their calls in it.
 */
export class CallShares {
  private readonly lines = new Map<string, FairLine>();
  /** The toolsets that are reported to others, and when each one last mattered. */
  private readonly tight = new Map<string, number>();
  private hasAccounts = false;
  private hasSent = false;
  private sentAt = -Infinity;
  private inspectedAt = -Infinity;
  private settling: Timer | undefined;
  private timer: { dueAt: number; handle: Timer } | undefined;

  constructor(private readonly deps: CallSharesDeps) {}

  /** Whether this user's calls are counted; a user without an account is alone. */
  counts(userId: string): boolean {
    this.hasAccounts ||= userId !== LOCAL_USER_ID;
    return this.hasAccounts;
  }

  /** True: the call may be sent. Otherwise `release` is called as soon as it may. */
  ask(toolset: string, callId: string, userId: string, release: () => void): boolean {
    const line = this.lineOf(toolset);
    if (!line) return true;
    const before = line.heldInAll;
    const mayBeSent = line.ask(callId, userId, release);
    if (line.heldInAll > before) this.deps.refusals.note('fair_share', { user_id: userId, toolset });
    this.changed(toolset, line);
    return mayBeSent;
  }

  /** A worker has started the call. */
  count(toolset: string, callId: string, userId: string): void {
    const line = this.lineOf(toolset);
    line?.count(callId, userId);
    if (line) this.changed(toolset, line);
  }

  /** The call has ended, or its turn is no longer driven here. */
  end(toolset: string, callId: string, userId: string): void {
    const line = this.lines.get(toolset);
    line?.end(callId, userId);
    if (line) this.changed(toolset, line);
  }

  /** Another orchestrator reports its calls in the queues. */
  counted({ orchestrator, toolsets }: Body<'calls.counted'>): void {
    if (orchestrator === this.deps.processId) return;
    const told = new Map(toolsets.map((counted) => [counted.toolset, toReport(counted)]));
    for (const toolset of new Set([...told.keys(), ...this.lines.keys()])) {
      const line = this.lineOf(toolset);
      if (line) this.learn(toolset, line, () => line.receive(orchestrator, told.get(toolset)));
    }
  }

  /** Workers joined or left. */
  placesChanged(): void {
    for (const [toolset, line] of this.lines) this.learn(toolset, line, () => line.release());
  }

  close(): void {
    this.timer?.handle.cancel();
    this.settling?.cancel();
  }

  private now(): number {
    return this.deps.clock.now();
  }

  private lineOf(toolset: string): FairLine | undefined {
    const known = this.lines.get(toolset);
    if (known) return known;
    const { placesOf, settings } = this.deps;
    const share = settings.fairShareOf(toolset);
    if (share >= 1) return undefined;
    const processes = () => this.countOrchestrators();
    const { clock } = this.deps;
    const line = new FairLine({ places: () => placesOf(toolset), share, processes, clock });
    this.lines.set(toolset, line);
    return line;
  }

  /** This process's calls in the queue have changed. */
  private changed(toolset: string, line: FairLine): void {
    this.note(toolset, line);
    if (this.tight.size > 0) this.actIn(this.sentAt + SEND_AGAIN_MS - this.now());
  }

  /**
   * Reports of others, checks of the queue and time change nothing that must be sent, unless they release a call or
   * fill the line.
   */
  private learn(toolset: string, line: FairLine, hear: () => void): void {
    const { heldInAll } = line;
    const wasTight = this.tight.has(toolset);
    hear();
    if (line.heldInAll !== heldInAll || (line.isTight && !wasTight)) this.changed(toolset, line);
    else this.note(toolset, line);
  }

  private note(toolset: string, line: FairLine): void {
    this.deps.metrics.callsHeld.set({ toolset }, line.heldInAll);
    if (line.isTight) this.tight.set(toolset, this.now());
    if (!this.tight.has(toolset) && line.isIdle) this.lines.delete(toolset);
  }

  private actIn(delayMs: number): void {
    if (delayMs <= 0) return this.act();
    const dueAt = this.now() + delayMs;
    if (this.timer && this.timer.dueAt <= dueAt) return;
    this.timer?.handle.cancel();
    this.timer = { dueAt, handle: this.deps.clock.after(delayMs, () => this.act(), { unref: true }) };
  }

  private act(): void {
    this.timer?.handle.cancel();
    this.timer = undefined;
    this.sentAt = this.now();
    this.forgetCalm();
    this.sendCounts();
    this.settleSoon();
    if (this.tight.size === 0) return;
    if (this.now() - this.inspectedAt >= REPEAT_MS) {
      this.inspectedAt = this.now();
      for (const toolset of this.tight.keys()) void this.inspect(toolset);
    }
    this.actIn(REPEAT_MS);
  }

  private forgetCalm(): void {
    for (const [toolset, since] of this.tight) {
      if (this.now() - since < CALM_MS) continue;
      this.tight.delete(toolset);
      const line = this.lines.get(toolset);
      line?.settle(false);
      if (line?.isIdle) this.lines.delete(toolset);
    }
  }

  private settleSoon(): void {
    const settle = () => {
      this.settling = undefined;
      for (const toolset of this.tight.keys()) {
        const line = this.lines.get(toolset);
        if (line) this.learn(toolset, line, () => line.settle(true));
      }
    };
    this.settling ??= this.deps.clock.after(SETTLE_MS, settle, { unref: true });
  }

  private sendCounts(): void {
    if (!this.hasSent && this.countOrchestrators() <= 1) return;
    const toolsets = [...this.tight.keys()].flatMap((toolset) => {
      const line = this.lines.get(toolset);
      return line ? [toCounted(toolset, line.view(MAX_USERS))] : [];
    });
    this.hasSent = toolsets.length > 0;
    const body = { orchestrator: this.deps.processId, toolsets };
    void this.deps.bus.send('orchestrator.all', newMessage(this.deps, 'calls.counted', body));
  }

  private async inspect(toolset: string): Promise<void> {
    // An unreachable broker says nothing about its queues.
    const queue = await this.deps.queues.inspect(`tools.${toolset}`).catch(() => undefined);
    const line = this.lines.get(toolset);
    if (!queue || !line) return;
    const seen = queue === 'missing' ? { messages: 0, consumers: 0 } : queue;
    this.learn(toolset, line, () => line.observeQueue(seen));
  }

  private countOrchestrators(): number {
    return Math.max(1, this.deps.peers.countLiving('orchestrator'));
  }
}

function toReport({ sent, held, users }: Counted): Report {
  return { sent, held, users: new Map(users.map(({ user_id, ...counts }) => [user_id, counts])) };
}

function toCounted(toolset: string, { sent, held, users }: Report): Counted {
  const counts = [...users].map(([user_id, count]) => ({ user_id, ...count }));
  return { toolset, sent, held, users: counts };
}
