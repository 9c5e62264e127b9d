import { setTimeout as delay } from 'node:timers/promises';
import { PROVIDER_MODEL } from './changing-provider.js';
import type { Site } from './site.js';

const PAUSE_MS = 300;
const PATIENCE_MS = 15_000;
const PEOPLE = 3;

/** What a person asks, in turn. */
const MESSAGES: { content: string; options?: { model: string } }[] = [
  { content: 'what is 3 + 4?' },
  { content: 'count to 60' },
  { content: 'call held wait with {"seconds": 0.5}' },
  { content: 'hello', options: { model: PROVIDER_MODEL } },
  { content: 'call lone echo with {"text": "hello"} then what is 6 * 7?' },
];

/** A few people who write all the time. What fails during a provocation is tried again later. */
export class Load {
  private readonly over = new AbortController();
  private readonly living: Promise<void>[];

  constructor(private readonly site: Site) {
    this.living = Array.from({ length: PEOPLE }, (_, index) => this.live(index));
  }

  async stop(): Promise<void> {
    this.over.abort();
    await Promise.all(this.living);
  }

  private async live(index: number): Promise<void> {
    while (!this.over.signal.aborted) {
      await this.talk(index).catch(() => undefined);
      await this.pause();
    }
  }

  /** One conversation. */
  private async talk(index: number): Promise<void> {
    const gateways = this.site.of('gateway');
    const viewer = await this.site.view(`person-${index}`, gateways[index % gateways.length]);
    try {
      let conversation: { conversation_id: string } | undefined;
      for (const { content, options } of MESSAGES) {
        if (this.over.signal.aborted) return;
        const sent = await viewer.send(content, {
          ...(conversation && { conversation_id: conversation.conversation_id }),
          ...(options && { options }),
        });
        conversation = sent;
        await viewer.ended(sent.conversation_id, sent.turn_id, PATIENCE_MS);
        await this.pause();
      }
    } finally {
      viewer.close();
    }
  }

  private async pause(): Promise<void> {
    await delay(PAUSE_MS, undefined, { signal: this.over.signal }).catch(() => undefined);
  }
}

/** One user sends messages at once, each in a conversation of its own, and does not wait for their ends. */
export async function sendMany(
  site: Site,
  contents: readonly string[],
  more: Record<string, unknown> = {},
): Promise<{ turn_id: string }[]> {
  const viewer = await site.view('dan');
  try {
    return await Promise.all(contents.map((content) => viewer.send(content, more)));
  } finally {
    viewer.close();
  }
}
