import type { DeliveryOutcome } from '#messaging';
import { newMessage } from '#contracts';
import type { Ports } from '#journal';
import type { Refusals } from '#observability';
import { settledWithin } from '#time';
import { ArgumentValidator } from '#tools';
import { errorTypeOf, turnLogFields } from '#tracing';
import type { DrivingDeps } from '../work/driving.deps.js';
import type { TurnWork } from '../work/turn-work.js';
import type { History } from './history.js';
import { measureTurns } from './measure-turns.js';
import type { CallQueues } from './open-calls.js';
import type { TakeUp } from './take-up.js';
import { TurnDriver, type DriveEnd } from './turn-driver.js';

/** RabbitMQ closes a channel whose delivery is unacknowledged for 30 minutes. */
const HOLD_MS = 10 * 60_000;

/** A hint that is held unacknowledged. It keeps the turn from being lost when this process dies. */
export interface HeldHint {
  lost: AbortSignal;
}

interface Driven {
  driver: TurnDriver;
  done: Promise<DriveEnd>;
  held: HeldHint | undefined;
}

/** The turns that this process drives. */
export class Drivers {
  private readonly driven = new Map<string, Driven>();
  private readonly takingUp = new Map<string, Promise<void>>();
  private readonly validator: ArgumentValidator;
  private isDraining = false;
  /** Called when a turn is no longer driven here. */
  onEnd = (): void => undefined;

  constructor(
    private readonly deps: DrivingDeps,
    private readonly ports: Ports,
    private readonly takeUp: TakeUp,
    private readonly history: History,
    /** Shared by all turns, because a toolset without workers, or with too many calls, concerns many of them. */
    private readonly queues: CallQueues & { refusals: Refusals },
  ) {
    this.validator = new ArgumentValidator({
      slowChecks: deps.slowChecks,
      schemas: deps.schemas,
      refusals: queues.refusals,
    });
    measureTurns(deps.metrics, deps.clock, () => [...this.driven.values()].map(({ driver }) => driver));
  }

  get(turnId: string): TurnDriver | undefined {
    return this.driven.get(turnId)?.driver;
  }

  get size(): number {
    return this.driven.size;
  }

  private get isFull(): boolean {
    return this.driven.size + this.takingUp.size >= this.deps.settings.turnsAtOnce;
  }

  /**
   * Takes a hint about a turn. With `hint` (a delivery from `turns`), the delivery is held until the turn has ended,
   * parked or been taken over. A second hint about a held turn only wakes its driver.
   */
  async advance(turnId: string, conversationId: string, hint?: HeldHint): Promise<DeliveryOutcome> {
    while (this.takingUp.has(turnId)) await this.takingUp.get(turnId);
    const known = this.driven.get(turnId);
    if (known) {
      known.driver.hint();
    } else {
      if (this.isDraining) return giveBack();
      // Prefetch bounds hints from the queue. Beyond the limit, forwarded hints are dropped; the sweeper resends them.
      if (!hint && this.isFull) return 'ack';
      const taking = this.start(turnId, conversationId).finally(() => this.takingUp.delete(turnId));
      this.takingUp.set(turnId, taking);
      await taking;
    }
    const driven = this.driven.get(turnId);
    if (!driven || !hint || (driven.held && !driven.held.lost.aborted)) return 'ack';
    return this.hold(driven, hint, turnId, conversationId);
  }

  /** Gives every turn back after `graceMs`. Resolves when no turn is driven any more. */
  async drain(graceMs: number): Promise<void> {
    this.isDraining = true;
    await Promise.allSettled(this.takingUp.values());
    const all = Promise.allSettled([...this.driven.values()].map(({ done }) => done));
    const timer = this.ports.clock.after(graceMs, () => {
      for (const { driver } of this.driven.values()) driver.leave('abandoned');
    });
    await all;
    timer.cancel();
  }

  private async start(turnId: string, conversationId: string): Promise<void> {
    const work = await this.takeUp.takeUp(turnId, conversationId);
    if (work === 'nothing_to_do') return;
    const driver = new TurnDriver(this.deps, this.ports, this.validator, work, this.queues);
    this.deps.metrics.turnsStarted.inc();
    const done = this.run(turnId, driver, work);
    this.driven.set(turnId, { driver, done, held: undefined });
    // If a turn without a held hint fails, no other process would notice.
    const { turn } = work.memory.journal;
    done.catch((error: unknown) =>
      this.deps.log.error({ err: error, ...turnLogFields(turn) }, 'driving a turn failed'),
    );
  }

  private async run(turnId: string, driver: TurnDriver, work: TurnWork): Promise<DriveEnd> {
    try {
      let end = await driver.drive();
      // A hint may have arrived since the driver's last look, and no other process would read it.
      while (end === 'parked' && !driver.mailbox.isEmpty) end = await driver.drive();
      if (end === 'ended') this.noteEnd(work);
      work.trace.end(end);
      return end;
    } catch (error) {
      work.trace.end(errorTypeOf(error), { isFailure: true });
      throw error;
    } finally {
      this.driven.delete(turnId);
      this.onEnd();
    }
  }

  private noteEnd({ memory: { journal }, conversation }: TurnWork): void {
    if (conversation.isDeleted) this.history.forget(journal.turn.conversation_id);
    else this.history.append(journal);
  }

  private async hold(
    driven: Driven,
    hint: HeldHint,
    turnId: string,
    conversationId: string,
  ): Promise<DeliveryOutcome> {
    for (;;) {
      driven.held = hint;
      const isOver = await settledWithin(this.ports.clock, driven.done, HOLD_MS);
      const end = isOver ? await driven.done : 'expired';
      if (end === 'abandoned') return giveBack();
      await this.ports.faultPoint('turn_ended');
      // If the delivery was lost, another one holds the turn by now.
      if (end !== 'expired' || driven.held !== hint) return 'ack';
      // The process that gets the new hint holds it in place of this one.
      driven.held = undefined;
      const message = newMessage(this.ports, 'turn.advance', {
        turn_id: turnId,
        conversation_id: conversationId,
      });
      if ((await this.deps.bus.publish('turns', message)) === 'confirmed') return 'ack';
    }
  }
}

/** Never settled: the delivery stays in the queue and goes to another process when the connection closes. */
function giveBack(): Promise<never> {
  return new Promise<never>(() => {});
}
