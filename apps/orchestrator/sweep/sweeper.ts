import type { Journal, Turn } from '#contracts';
import { newMessage } from '#contracts';
import { faultPoint } from '#faults';
import { BusUnavailableError } from '#messaging';
import { StoreUnavailableError } from '#store';
import { carryOut, endTurn, hint, situationOf, type Ports } from '#journal';
import { decideSweep, endingStep, holderOf, isSettled, statusOf, type CallDecision } from '#turn';

const ROUND_MS = 2_000;
const TURNS_A_ROUND = 200;
const NEXT_LOOK_MS = 5_000;
const NEXT_LOOK_PARKED_MS = 30_000;
/** A process that was dead for so long has nothing left that others would ask about. */
const FORGOTTEN_MS = 3_600_000;
/** Above this many waiting hints a turn in line is not hinted again: its own hint is among them. */
const CROWDED = 100;

/**
 * Makes the whole thing live; the broker only makes it fast. Every round it looks at turns that are due, does what
 * their rows ask for, and moves `due_at`. Idempotent: any number of sweepers may run.
 */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly ports: Ports,
    /** Wakes a turn that this process drives; false if it does not. */
    private readonly wake: (turnId: string) => boolean,
    /** Processes that have been dead for so long. */
    private readonly listForgotten: (durationMs: number) => string[] = () => [],
  ) {}

  /** The first round is now. */
  start(): void {
    this.round = this.sweep().then(() => this.schedule());
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** One round; never rejects. */
  async sweep(now = Date.now()): Promise<void> {
    try {
      const due = await this.ports.store.listDueTurns(now, TURNS_A_ROUND);
      for (const turn of due) await this.lookAtSafely(turn, now);
      for (const processId of this.listForgotten(FORGOTTEN_MS))
        await this.ports.store.removeProcess(processId);
    } catch (error) {
      this.ports.log.warn({ err: error }, 'a round of the sweeper was cut short');
    }
  }

  private schedule(): void {
    if (this.isStopped) return;
    const delayMs = ROUND_MS * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.round = this.sweep().then(() => this.schedule());
    }, delayMs);
    this.timer.unref();
  }

  /** A turn that cannot be read must not keep the others from being looked at. */
  private async lookAtSafely(turn: Turn, now: number): Promise<void> {
    try {
      await this.lookAt(turn, now);
    } catch (error) {
      if (error instanceof StoreUnavailableError || error instanceof BusUnavailableError) throw error;
      this.ports.log.error({ err: error, turn_id: turn._id }, 'a due turn could not be looked at');
      await this.ports.store.setTurnDue(turn._id, now + NEXT_LOOK_PARKED_MS);
    }
  }

  private async lookAt(turn: Turn, now: number): Promise<void> {
    const { store } = this.ports;
    const journal = await store.readJournal(turn._id);
    if (!journal) return store.setTurnDue(turn._id, null);
    const action = decideSweep(journal, await situationOf(this.ports, journal));
    if (action.do === 'finish') {
      await faultPoint('sweep_acting');
      return this.finish(journal, action.calls, now);
    }
    const status = statusOf(journal);
    await store.setTurnDue(
      turn._id,
      now + (status === 'awaiting_input' ? NEXT_LOOK_PARKED_MS : NEXT_LOOK_MS),
    );
    if (status !== turn.status) await store.setTurnStatus(turn._id, status);
    if (action.do !== 'wake') return;
    await faultPoint('sweep_acting');
    await this.wakeUp(journal);
  }

  /** An ended turn stays due until each of its calls has an outcome. */
  private async finish(journal: Journal, calls: CallDecision[], now: number): Promise<void> {
    const { ports } = this;
    const { turn } = journal;
    const learned = await Promise.all(calls.map((decision) => carryOut(ports, journal, decision)));
    for (const { outcome } of learned) if (outcome) journal.outcomes.push(outcome);
    if (turn.status !== statusOf(journal)) await endTurn(ports, journal, endingStep(journal)!);
    await ports.store.setTurnDue(turn._id, isSettled(journal) ? null : now + NEXT_LOOK_MS);
  }

  private async wakeUp(journal: Journal): Promise<void> {
    const { _id: turn_id, conversation_id } = journal.turn;
    if (this.wake(turn_id)) return;
    const holder = holderOf(journal, turn_id);
    if (holder && !(await this.ports.peers.isDead(holder.owner))) return hint(this.ports, journal);
    const queue = await this.ports.bus.inspect('turns');
    if (queue !== 'missing' && queue.messages > CROWDED) return;
    await this.ports.bus.publish('turns', newMessage('turn.advance', { turn_id, conversation_id }));
  }
}
