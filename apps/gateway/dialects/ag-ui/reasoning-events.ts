import type { EventOf } from '#contracts';
import type { AgUiEvent } from './ag-ui-event.js';

/** The thinking of a model before its text, as reasoning messages: one for each attempt of a step. */
export class ReasoningEvents {
  private open: { id: string; length: number } | undefined;

  constructor(private readonly turnId: string) {}

  next({ step, attempt, offset, content }: EventOf<'thinking'>): AgUiEvent[] {
    const id = `${this.turnId}:${step}:reasoning:${attempt}`;
    const events = this.open?.id === id ? [] : [...this.end(), ...begin(id)];
    this.open = this.open?.id === id ? this.open : { id, length: 0 };
    // Events may come twice, and what is missing is not waited for.
    const delta = content.slice(Math.max(0, this.open.length - offset));
    this.open.length = Math.max(this.open.length, offset + content.length);
    return delta === '' ? events : [...events, { type: 'REASONING_MESSAGE_CONTENT', messageId: id, delta }];
  }

  /** Called before any other event. */
  end(): AgUiEvent[] {
    if (!this.open) return [];
    const { id: messageId } = this.open;
    this.open = undefined;
    return [
      { type: 'REASONING_MESSAGE_END', messageId },
      { type: 'REASONING_END', messageId },
    ];
  }
}

function begin(messageId: string): AgUiEvent[] {
  return [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ];
}
