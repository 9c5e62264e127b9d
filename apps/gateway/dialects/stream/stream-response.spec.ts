import { EventEmitter } from 'node:events';
import { describe, expect, it, jest } from '@jest/globals';
import type { Response } from 'express';
import { StoreUnavailableError } from '#store';
import { SystemClock } from '#time';
import { SeededRandom, VirtualClock } from '#time/testing';
import { streamResponse } from './stream-response.js';
import type { TurnNews, TurnStream } from './turn-stream.js';

/** A client that takes what it is sent when the test lets it. */
class FakeResponse extends EventEmitter {
  readonly written: string[] = [];
  /** How often the loop had turned before each write. */
  readonly rounds: number[] = [];
  isFull = false;
  isEnded = false;
  closed = false;
  private round = 0;
  private ticking = true;

  constructor() {
    super();
    const tick = () => {
      this.round++;
      if (this.ticking) setImmediate(tick);
    };
    setImmediate(tick);
  }

  get writableNeedDrain(): boolean {
    return this.isFull;
  }
  readonly socket = { setNoDelay: () => undefined };
  flushHeaders(): void {}
  write(chunk: string): boolean {
    this.written.push(chunk);
    this.rounds.push(this.round);
    return !this.isFull;
  }
  end(): void {
    this.isEnded = true;
    this.ticking = false;
  }
  get response(): Response {
    return this as unknown as Response;
  }
}

const NEWS: TurnNews = { type: 'text', step: 1, text: '' };

function streamOf(news: () => AsyncIterator<TurnNews>): { stream: TurnStream; closed: string[] } {
  const closed: string[] = [];
  const stream = { [Symbol.asyncIterator]: news, close: () => closed.push('closed') };
  return { stream: stream as unknown as TurnStream, closed };
}

async function* once(): AsyncGenerator<TurnNews> {
  yield NEWS;
}

const clock = new SystemClock();

describe('streamResponse', () => {
  it('writes each string to the network separately', async () => {
    const fake = new FakeResponse();
    await streamResponse(fake.response, streamOf(once).stream, { clock, write: () => ['a', 'b', 'c'] });
    expect(fake.written).toEqual(['a', 'b', 'c']);
    expect(new Set(fake.rounds).size).toBe(3);
    expect(fake.isEnded).toBe(true);
  });

  it('pauses while the client’s buffer is full, and resumes when it drains', async () => {
    const fake = new FakeResponse();
    fake.isFull = true;
    let taken = 0;

    const { stream } = streamOf(async function* () {
      for (; taken < 100; taken++) yield NEWS;
    });
    const streaming = streamResponse(fake.response, stream, { clock, write: () => ['x'] });
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect([fake.written.length, taken]).toEqual([1, 0]);
    fake.isFull = false;
    fake.emit('drain');
    await streaming;
    expect(fake.written).toHaveLength(100);
  });

  it('lets the turn continue when the client leaves', async () => {
    const fake = new FakeResponse();
    fake.isFull = true;
    const { stream, closed } = streamOf(once);
    const streaming = streamResponse(fake.response, stream, { clock, write: () => ['a'] });
    fake.closed = true;
    fake.emit('close');
    await streaming;
    expect(closed).toEqual(['closed']);
  });

  it('sends an error at the end when it cannot continue, and throws the cause', async () => {
    const fake = new FakeResponse();
    // eslint-disable-next-line require-yield -- it fails before its first part
    const { stream } = streamOf(async function* () {
      throw new StoreUnavailableError('mongodb://user:secret@host');
    });
    const broken = jest.fn((error: Error) => [error.message]);
    const streaming = streamResponse(fake.response, stream, { clock, write: () => [], broken });
    await expect(streaming).rejects.toThrow(StoreUnavailableError);
    expect(fake.written).toEqual(['The store cannot be reached. Try again.']);
    expect(fake.isEnded).toBe(true);
  });

  it('keeps a silent connection alive after 15 s unless its buffer is full', async () => {
    const virtual = new VirtualClock(new SeededRandom(1));
    const fake = new FakeResponse();
    let open = () => {};
    const until = new Promise<void>((resolve) => (open = resolve));
    const { stream } = streamOf(async function* () {
      await until;
      yield NEWS;
    });
    const streaming = streamResponse(fake.response, stream, {
      clock: virtual,
      write: () => [],
      keepAlive: ':',
    });
    await virtual.advance(14_999);
    expect(fake.written).toEqual([]);
    await virtual.advance(1);
    expect(fake.written).toEqual([':']);
    fake.isFull = true;
    await virtual.advance(60_000);
    expect(fake.written).toEqual([':']);
    open();
    await streaming;
    await virtual.advance(60_000);
    expect(fake.written).toEqual([':']);
  });
});
