import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { Response } from 'express';
import { sendArray } from './send-array.js';

/** A client that takes as many chunks as the test lets it. */
class FakeResponse extends EventEmitter {
  sent = '';
  room = Infinity;
  closed = false;
  isDestroyed = false;
  write(text: string): boolean {
    this.sent += text;
    return --this.room > 0;
  }
  end(text: string): void {
    this.sent += text;
  }
  status(): this {
    return this;
  }
  type(): this {
    return this;
  }
  destroy(): void {
    this.isDestroyed = true;
  }
  get response(): Response {
    return this as unknown as Response;
  }
}

const ROW = { content: 'x'.repeat(20_000) };

function rowsOf(count: number, fails = false) {
  const taken = { count: 0, isOver: false };
  async function* rows() {
    try {
      for (; taken.count < count; taken.count++) yield ROW;
      if (fails) throw new Error('away');
    } finally {
      taken.isOver = true;
    }
  }
  return { taken, rows: rows() };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

it.each([0, 1, 5])('sendArray sends an array of %s rows', async (count) => {
  const fake = new FakeResponse();
  await sendArray(fake.response, rowsOf(count).rows);
  expect(JSON.parse(fake.sent)).toEqual(Array(count).fill(ROW));
});

it('sendArray reads no faster than its client takes, and ends with it', async () => {
  const fake = new FakeResponse();
  fake.room = 3;
  const { rows, taken } = rowsOf(1_000);
  const sending = sendArray(fake.response, rows);
  await soon();
  expect(taken.count).toBe(2);
  fake.room = 2;
  fake.emit('drain');
  await soon();
  expect(taken.count).toBe(4);
  fake.closed = true;
  fake.emit('close');
  await sending;
  expect(taken).toEqual({ count: 4, isOver: true });
});

it('sendArray breaks off when the rows fail, and leaves the response untouched when the first one does', async () => {
  const fake = new FakeResponse();
  await expect(sendArray(fake.response, rowsOf(2, true).rows)).rejects.toThrow('away');
  expect(fake.isDestroyed).toBe(true);
  const early = new FakeResponse();
  await expect(sendArray(early.response, rowsOf(0, true).rows)).rejects.toThrow('away');
  expect([early.sent, early.isDestroyed]).toEqual(['', false]);
});
