import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { untilAborted } from './until-aborted.js';

const REASON = new Error('stopped');

describe('untilAborted', () => {
  it('settles as the promise does, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve(7), signal)).toBe(7);
    await expect(untilAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('rejects with the reason of a signal that aborts first, and handles the promise’s later rejection', async () => {
    const stop = new AbortController();
    let fail: (error: Error) => void = () => undefined;
    const waiting = untilAborted(new Promise((_resolve, reject) => (fail = reject)), stop.signal);
    stop.abort(REASON);
    await expect(waiting).rejects.toBe(REASON);
    fail(new Error('too late'));
  });

  it('rejects at once with an aborted signal', async () => {
    await expect(untilAborted(Promise.resolve(7), AbortSignal.abort(REASON))).rejects.toBe(REASON);
    await expect(untilAborted(Promise.reject(new Error('failed')), AbortSignal.abort(REASON))).rejects.toBe(
      REASON,
    );
  });
});
