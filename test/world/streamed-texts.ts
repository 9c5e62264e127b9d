import type { ConversationEvent } from '#contracts';
import type { Finding } from '../soak/judge/finding.js';

/** The text of each attempt as it is emitted: whoever follows it by its offsets misses nothing. */
export class StreamedTexts {
  private readonly lengths = new Map<string, number>();

  constructor(private readonly findings: Finding[]) {}

  noteEmitted(event: ConversationEvent): void {
    if (event.type !== 'token') return;
    const { turn_id, step, attempt, offset, content } = event;
    const key = `${turn_id}:${step}:${attempt}`;
    const length = this.lengths.get(key) ?? 0;
    this.lengths.set(key, length + content.length);
    if (offset === length) return;
    const what = `${key} went on at ${offset}, not at ${length}`;
    this.findings.push({ goal: 'characters lost or repeated', what });
  }
}
