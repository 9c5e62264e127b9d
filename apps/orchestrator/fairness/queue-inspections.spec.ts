import { describe, expect, it } from '@jest/globals';
import { BusUnavailableError } from '#messaging';
import { QueueInspections } from './queue-inspections.js';

describe('QueueInspections', () => {
  it('asks the broker once a second for each queue, regardless of the number of turns', async () => {
    const asked: string[] = [];
    let nowMs = 0;
    const inspect = async (queue: string) => {
      asked.push(queue);
      return { consumers: asked.length, messages: 0 };
    };
    const inspections = new QueueInspections({ inspect, takesMessages: () => true }, { now: () => nowMs });
    const first = await Promise.all([1, 2, 3].map(() => inspections.inspect('tools.math')));
    expect(first.map((state) => state)).toEqual(first.map(() => ({ consumers: 1, messages: 0 })));
    await inspections.inspect('tools.web');
    nowMs = 999;
    await inspections.inspect('tools.math');
    expect(asked).toEqual(['tools.math', 'tools.web']);
    nowMs = 1_000;
    expect(await inspections.inspect('tools.math')).toEqual({ consumers: 3, messages: 0 });
  });

  it('reports to all callers that the broker is away', async () => {
    const inspect = () => Promise.reject(new BusUnavailableError('away'));
    const inspections = new QueueInspections({ inspect, takesMessages: () => true }, { now: () => 0 });
    for (let i = 0; i < 2; i++)
      await expect(inspections.inspect('tools.math')).rejects.toThrow(BusUnavailableError);
  });
});
