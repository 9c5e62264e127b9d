import { setTimeout as delay } from 'node:timers/promises';
import type { CallView } from '#contracts';
import type { Link } from './link.js';
import type { Random } from './random.js';

const LOOK_MS = 100;

type Decision = 'approve' | 'deny';

/** Answers the calls that wait for a person: at one device, at the other one later, or at both at once, at odds. */
export class Approver {
  constructor(
    private readonly person: string,
    private readonly links: readonly [Link, Link],
    private readonly random: Random,
  ) {}

  /** Until somebody has seen the end of the turn. An answer that was lost, or was refused, is given again. */
  async attend(turnId: string, patienceMs: number): Promise<void> {
    const givesUpAt = performance.now() + patienceMs;
    while (!this.links.some((link) => link.hasSeenEnd(turnId)) && performance.now() < givesUpAt) {
      for (const call of this.waiting(turnId)) await this.answer(turnId, call);
      await delay(LOOK_MS);
    }
  }

  private waiting(turnId: string): CallView[] {
    const link = this.links.find((candidate) => candidate.turn(turnId)?.steps.length);
    const calls = link?.turn(turnId)?.steps.flatMap((step) => step.calls) ?? [];
    return calls.filter(({ state, approval }) => state === 'awaiting_approval' && !approval);
  }

  private async answer(turnId: string, { tool_call_id }: CallView): Promise<void> {
    const { random } = this;
    const [first, second] = random.chance(0.5) ? this.links : this.links.toReversed();
    const decision: Decision = random.chance(0.7) ? 'approve' : 'deny';
    const other: Decision = decision === 'approve' ? 'deny' : 'approve';
    await delay(random.between(0, 800));
    if (random.chance(0.2)) {
      const give = (link: Link, said: Decision) => this.give(link, turnId, tool_call_id, said);
      await Promise.all([give(first, decision), give(second, other)]);
      return;
    }
    // Looked at here and left, to be answered there.
    const isLeft = random.chance(0.25);
    if (isLeft) await delay(random.between(500, 2_000));
    await this.give(isLeft ? second : first, turnId, tool_call_id, decision);
  }

  private async give(link: Link, turn_id: string, tool_call_id: string, decision: Decision): Promise<void> {
    const told = { viewer: this.person, tool_call_id, decision };
    link.record({ at: Date.now(), what: 'approval', ...told });
    const answer = await link.ask('tool_approval', { turn_id, tool_call_id, decision });
    if (answer) link.record({ at: Date.now(), what: 'answered', ...told });
  }
}
