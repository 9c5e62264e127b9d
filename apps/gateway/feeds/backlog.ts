import type { ConversationEvent, EventOf, View } from '#contracts';

/** Characters that may wait for one viewer. Beyond that they are dropped, and a snapshot replaces them. */
const MAX_BACKLOG_LENGTH = 256 * 1024;

/** Characters that wait for one viewer in all conversations that it follows. */
export interface BacklogBudget {
  length: number;
}

type StreamEvent = EventOf<'token' | 'thinking'>;

/** Events not yet sent to a slow viewer. Adjacent tokens of a step merge into one. */
export class Backlog {
  private events: ConversationEvent[] = [];
  private length = 0;
  private dropped = false;

  /** `seen`: the view that the viewer holds. */
  constructor(
    readonly seen: View,
    private readonly budget: BacklogBudget = { length: 0 },
  ) {}

  /** True once events were dropped: only a snapshot helps. */
  get isBroken(): boolean {
    return this.dropped;
  }

  add(event: ConversationEvent): void {
    if (this.dropped) return;
    const last = this.events.at(-1);
    if (isStream(event)) {
      this.count(event.content.length);
      if (last && isStream(last) && continues(last, event))
        this.events[this.events.length - 1] = { ...last, content: last.content + event.content };
      else this.events.push(event);
    } else {
      this.count(JSON.stringify(event).length);
      this.events.push(event);
    }
    if (this.budget.length > MAX_BACKLOG_LENGTH) this.drop();
  }

  drop(): void {
    this.release();
    this.dropped = true;
  }

  /** Empties the backlog. */
  release(): void {
    this.budget.length -= this.length;
    this.length = 0;
    this.events = [];
  }

  list(): readonly ConversationEvent[] {
    return this.events;
  }

  private count(length: number): void {
    this.length += length;
    this.budget.length += length;
  }
}

function isStream(event: ConversationEvent): event is StreamEvent {
  return event.type === 'token' || event.type === 'thinking';
}

function continues(last: StreamEvent, next: StreamEvent): boolean {
  return (
    last.type === next.type &&
    last.turn_id === next.turn_id &&
    last.step === next.step &&
    last.attempt === next.attempt &&
    last.offset + last.content.length === next.offset
  );
}
