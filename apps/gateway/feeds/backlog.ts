import type { ConversationEvent, EventOf, View } from '#contracts';

/** Characters that wait for one viewer; over it they are dropped and a snapshot takes their place. */
const MAX_BACKLOG_LENGTH = 256 * 1024;

type StreamEvent = EventOf<'token' | 'thinking'>;

/** What a slow viewer has not been sent: adjacent tokens of a step merge into one. */
export class Backlog {
  private events: ConversationEvent[] = [];
  private length = 0;
  private dropped = false;

  /** `seen`: the view that the viewer holds. */
  constructor(readonly seen: View) {}

  /** True once events were dropped: only a snapshot helps. */
  get isBroken(): boolean {
    return this.dropped;
  }

  add(event: ConversationEvent): void {
    if (this.dropped) return;
    const last = this.events.at(-1);
    if (isStream(event)) {
      this.length += event.content.length;
      if (last && isStream(last) && continues(last, event))
        this.events[this.events.length - 1] = { ...last, content: last.content + event.content };
      else this.events.push(event);
    } else {
      this.length += JSON.stringify(event).length;
      this.events.push(event);
    }
    if (this.length > MAX_BACKLOG_LENGTH) this.drop();
  }

  drop(): void {
    this.events = [];
    this.dropped = true;
  }

  list(): readonly ConversationEvent[] {
    return this.events;
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
