import { describe, expect, it } from '@jest/globals';
import { StoreUnavailableError } from '#store';
import { SystemClock, settledWithin } from '#time';
import { keepUnacknowledged } from './keep-unacknowledged.js';

const away = () => Promise.reject(new StoreUnavailableError('away'));

describe('a delivery of a leaving process', () => {
  const staying = new AbortController().signal;
  const leaving = AbortSignal.abort();

  it('stays unacknowledged while the store is unavailable', async () => {
    const handled = keepUnacknowledged(leaving, away);
    // It never settles: a moment in which everything else would have is as long as any.
    expect(await settledWithin(new SystemClock(), handled, 20)).toBe(false);
  });

  it('otherwise ends normally', async () => {
    await expect(keepUnacknowledged(leaving, async () => 'ack')).resolves.toBe('ack');
    await expect(keepUnacknowledged(leaving, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    );
    await expect(keepUnacknowledged(staying, away)).rejects.toThrow('away');
  });
});
