import { encodeMessage, MAX_MESSAGE_BYTES, newMessage, type Body, type Message } from '#contracts';
import type { Bus } from '#messaging';
import type { Time, Timer } from '#time';
import type { MinuteLimit } from './minute-limit.js';

/** The longest delay until other gateways know of a count. */
const SEND_EVERY_MS = 1_000;
/** Of one message, by its contract. */
const MAX_ENTRIES = 2_000;
/** Keys come from clients, such as the `sub` of a token. */
const MAX_KEY_LENGTH = 512;

type Counts = Body<'limits.counted'>['counts'];

/**
 * Counts of limits that hold for the installation. Each gateway sends its counts to the others, at most once a second
 * and only when they changed, and adds the counts that it receives. After a lost message, or on a gateway that has just
 * started, counts are too low: then a limit admits more for a minute, at most as many times as there are gateways.
 */
export class SharedCounts {
  private readonly limits = new Map<string, MinuteLimit>();
  /** Counts of this gateway that it has not sent yet, by limit and key. */
  private unsent = new Map<string, Map<string, number>>();
  private timer: Timer | undefined;

  constructor(
    private readonly bus: Pick<Bus, 'send'>,
    private readonly processId: string,
    private readonly time: Time,
  ) {}

  /** From now on this limit is shared with the other gateways, in both directions. */
  share(name: string, limit: MinuteLimit): void {
    this.limits.set(name, limit);
    limit.onCount = (key, count) => this.note(name, key, count);
  }

  /** From another gateway, or from this one, which has counted that already. */
  receive({ gateway, counts }: Body<'limits.counted'>): void {
    if (gateway === this.processId) return;
    for (const { limit, key, count } of counts) this.limits.get(limit)?.countRemote(key, count);
  }

  /** Sends the unsent counts. */
  stop(): void {
    this.timer?.cancel();
    if (this.timer) this.sendCounts();
  }

  private note(name: string, key: string, count: number): void {
    if (key.length > MAX_KEY_LENGTH) return;
    const counts = this.unsent.get(name) ?? new Map<string, number>();
    this.unsent.set(name, counts);
    counts.set(key, (counts.get(key) ?? 0) + count);
    this.timer ??= this.time.clock.after(SEND_EVERY_MS, () => this.sendCounts(), { unref: true });
  }

  private sendCounts(): void {
    this.timer = undefined;
    const counts = [...this.unsent].flatMap(([limit, keys]) =>
      [...keys].flatMap(([key, count]) => (count === 0 ? [] : [{ limit, key, count }])),
    );
    this.unsent = new Map();
    const room = MAX_MESSAGE_BYTES - encodeMessage(this.messageOf([])).byteLength;
    for (const part of partsOf(counts, room)) void this.bus.send('gateway.all', this.messageOf(part));
  }

  private messageOf(counts: Counts): Message {
    return newMessage(this.time, 'limits.counted', { gateway: this.processId, counts });
  }
}

/** Each of at most `room` bytes as JSON. */
function* partsOf(counts: Counts, room: number): Generator<Counts> {
  let part: Counts = [];
  let left = room;
  for (const entry of counts) {
    // With the comma behind it.
    const bytes = Buffer.byteLength(JSON.stringify(entry)) + 1;
    if (bytes > left || part.length === MAX_ENTRIES) {
      yield part;
      part = [];
      left = room;
    }
    part.push(entry);
    left -= bytes;
  }
  if (part.length > 0) yield part;
}
