import { expect, it } from '@jest/globals';
import { PausableConsumer } from './pausable-consumer.js';

it('a pausable consumer makes one change after the other, in the order in which they were asked', async () => {
  const log: string[] = [];
  let started = () => undefined as void;
  const consumer = new PausableConsumer(async () => {
    log.push('start');
    await new Promise<void>((resolve) => (started = resolve));
    return {
      stop: () => {
        log.push('stop');
        return new Promise<void>(() => undefined);
      },
    };
  });
  const changes = [consumer.set(true), consumer.set(true), consumer.set(false), consumer.set(false)];
  await new Promise(setImmediate);
  expect(log).toEqual(['start']);
  started();
  await Promise.all(changes);
  expect(log).toEqual(['start', 'stop']);
});

it('a pausable consumer that could not start starts with the next change', async () => {
  let tries = 0;
  const stop = () => Promise.resolve();
  const consumer = new PausableConsumer(() =>
    ++tries === 1 ? Promise.reject(new Error('away')) : Promise.resolve({ stop }),
  );
  await expect(consumer.set(true)).rejects.toThrow('away');
  await consumer.set(true);
  expect(tries).toBe(2);
});
