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
 * What happens to the others is told when the open one has ended. A call that waits for a person comes last, so that
 * it does not hide those that run meanwhile.
 */
export class ToolCards {
  /** Those without an end yet told, the ones that changed last at the end. */
  private readonly cards = new Map<string, Card>();
  private open: string | undefined;

  commit({ calls }: StepView): void {
    for (const call of calls)
      if (!this.cards.has(call.tool_call_id)) this.cards.set(call.tool_call_id, { call, phase: 'queued' });
  }

  change(call: CallView, phase: Phase): void {
    this.cards.delete(call.tool_call_id);
    this.cards.set(call.tool_call_id, { call, phase });
  }

  /** What may be told now. */
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

  /** Nobody needs to be told any more of those that have ended. */
  forgetEnded(): void {
    for (const [id, { phase }] of this.cards) if (phase === 'ended') this.cards.delete(id);
  }

  private next(): Card | undefined {
    const cards = [...this.cards.values()];
    const first = (wanted: Phase) => cards.find(({ phase }) => phase === wanted);
    return first('ended') ?? first('running') ?? (first('queued') ? undefined : first('asking'));
  }
}
