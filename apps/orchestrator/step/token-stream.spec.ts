import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ConversationEvent, EventOf } from '#contracts';
import { SeededRandom, VirtualClock } from '#time/testing';
import { TokenStream } from './token-stream.js';

const place = { conversation_id: 'conv_1', turn_id: 'turn_1', step: 1, attempt: 101 };

let clock: VirtualClock;
let stream: TokenStream;
let told: [number, string][];

beforeEach(() => {
  clock = new VirtualClock(new SeededRandom(1));
  told = [];
  const emit = (event: ConversationEvent) => {
    const { offset, content } = event as EventOf<'token'>;
    told.push([offset, content]);
  };
  stream = new TokenStream('token', place, { emit, clock });
});

/** One piece after the other, each told before the next comes. */
async function pushSlowly(...pieces: string[]): Promise<void> {
  for (const piece of pieces) {
    stream.push(piece);
    await clock.advance(25);
  }
}

describe('TokenStream', () => {
  it('sends the beginning at once, then the text of each 25 ms together', async () => {
    for (const piece of ['a', 'b', 'c']) stream.push(piece);
    expect(told).toEqual([[0, 'a']]);
    await clock.advance(24);
    expect(told).toHaveLength(1);
    await clock.advance(1);
    expect(told.slice(1)).toEqual([[1, 'bc']]);
  });

  it('sends at once when much text has arrived', () => {
    for (const piece of ['a', 'b'.repeat(255)]) stream.push(piece);
    expect(told).toEqual([[0, 'a']]);
    stream.push('c');
    expect(told.slice(1)).toEqual([[1, `${'b'.repeat(255)}c`]]);
  });

  it('counts offsets in UTF-16 units', async () => {
    await pushSlowly('é', '😀', '!');
    expect(told).toEqual([
      [0, 'é'],
      [1, '😀'],
      [3, '!'],
    ]);
  });

  it('never splits a surrogate pair: it waits for the second half', async () => {
    const [high, low] = '😀'.split('') as [string, string];
    await pushSlowly(high);
    expect(told).toEqual([]);
    await pushSlowly(low, `x${high}`, low);
    expect(told).toEqual([
      [0, '😀'],
      [2, 'x'],
      [3, '😀'],
    ]);
    expect(stream.text).toBe('😀x😀');
  });

  it('sends all text at its end, including a lone surrogate, and nothing afterwards', async () => {
    stream.push('a');
    stream.push('b\ud83d');
    stream.end();
    expect(told.slice(1)).toEqual([[1, 'b\ud83d']]);
    await clock.advance(1_000);
    stream.end();
    expect(told).toHaveLength(2);
  });
});
