import type { CallView, StepView } from '#contracts';

type Phase = 'queued' | 'asking' | 'running' | 'ended';

interface Card {
  call: CallView;
  phase: Phase;
}

export interface CardChange {
  type: 'start' | 'end';
  call: CallView;
}

/**
 * The calls of a turn, one card open at a time: the Genesis frontend closes the newest open card, whatever its name.
 * They follow each other as the model asked for them, whichever worker was faster. A call that waits for a person
 * comes last, so that it does not hide those that run meanwhile.
 */
export class ToolCards {
  /** Calls whose end has not been sent, in the order of their step. */
  private readonly cards = new Map<string, Card>();
  private open: string | undefined;

  /** Before anything happens to the calls of the step. */
  commit({ calls }: StepView): void {
    for (const call of calls) this.change(call, 'queued');
  }

  change(call: CallView, phase: Phase): void {
    this.cards.set(call.tool_call_id, { call, phase });
  }

  /** The changes that may be sent now. */
  take(): CardChange[] {
    const changes: CardChange[] = [];
    for (;;) {
      const card = this.open === undefined ? this.next() : this.cards.get(this.open);
      if (!card) return changes;
      const { call, phase } = card;
      if (this.open === undefined) changes.push({ type: 'start', call });
      this.open = call.tool_call_id;
      if (phase !== 'ended') return changes;
      this.cards.delete(call.tool_call_id);
      this.open = undefined;
      changes.push({ type: 'end', call });
    }
  }

  /** Ended calls need no more frames. */
  forgetEnded(): void {
    for (const [id, { phase }] of this.cards) if (phase === 'ended') this.cards.delete(id);
  }

  private next(): Card | undefined {
    const cards = [...this.cards.values()];
    const first = cards.find(({ phase }) => phase !== 'asking') ?? cards[0];
    return first?.phase === 'queued' ? undefined : first;
  }
}
