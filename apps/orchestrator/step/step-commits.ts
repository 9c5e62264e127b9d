import type { Step } from '#contracts';
import type { Ports } from '#journal';
import { settledWithin } from '#time';
import { turnLogFields } from '#tracing';
import { endsTurn, isShownStep, nextStepNumber } from '#turn';
import type { TurnUsage } from '../work/turn-usage.js';
import type { TurnWork } from '../work/turn-work.js';
import { committedEvents } from './announce-step.js';

const LEAVING_MS = 1_000;

/** Commits the rows of a driven turn, each with the usage of its models since the previous row. */
export class StepCommits {
  constructor(
    private readonly ports: Pick<Ports, 'bus' | 'log' | 'clock' | 'faultPoint' | 'observer'>,
    private readonly work: Pick<TurnWork, 'memory'>,
    private readonly usage: TurnUsage,
  ) {}

  /** Commits a row and announces it to viewers if it has visible content. Its usage is kept even if another row won. */
  async commit(written: Step): Promise<void> {
    const { memory } = this.work;
    const spent = this.usage.take();
    const row = spent.length > 0 ? { ...written, spent } : written;
    const won = await memory.commit(row);
    if (!won) await this.usage.keepLost(row.n, spent);
    if (won && endsTurn(memory.journal.turn.options, row))
      this.ports.observer.turnEnded(memory.journal.turn, row);
    if (row.calls.length > 0) await this.ports.faultPoint('step_committed');
    if (won && isShownStep(row)) {
      for (const event of committedEvents(memory.journal, row)) this.ports.bus.emit(event);
    }
  }

  /** The driver stops. An unreachable store must not delay the process. */
  async leave(): Promise<void> {
    const { journal } = this.work.memory;
    const left = this.usage
      .leave(nextStepNumber(journal))
      .catch((error: unknown) =>
        this.ports.log.warn({ err: error, ...turnLogFields(journal.turn) }, 'counting usage failed'),
      );
    await settledWithin(this.ports.clock, left, LEAVING_MS);
  }
}
