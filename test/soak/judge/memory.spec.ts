import { describe, expect, it } from '@jest/globals';
import { memorySlopes } from './memory.js';

const MIB = 1024 * 1024;
/** A sample every 2 s of a process that grows by so much a minute after a first minute of 100 MiB at once. */
const samplesOf = (process_id: string, minutes: number, mibPerMinute: number) =>
  Array.from({ length: minutes * 30 + 1 }, (_, i) => ({
    at: i * 2_000,
    kind: 'gateway',
    process_id,
    rss_bytes: (i < 30 ? i * 3 : 100 + (i / 30) * mibPerMinute) * MIB,
  }));

describe('memorySlopes', () => {
  it('reports the slope of the process that lived longest, without its first minute', () => {
    const [slope] = memorySlopes([...samplesOf('gateway-1', 2, 50), ...samplesOf('gateway-2', 10, 1.5)]);
    expect(slope).toMatchObject({ kind: 'gateway', livedMs: 600_000, lastMib: 115 });
    expect(slope?.mibPerMinute).toBeCloseTo(1.5);
  });

  it('reports nothing of processes that lived too short', () => {
    expect(memorySlopes(samplesOf('gateway-1', 1, 50))).toMatchObject([{ mibPerMinute: undefined }]);
  });
});
