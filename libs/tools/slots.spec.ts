import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('Slots', () => {
  it('lets so many work at once, the others in order', async () => {
    const slots = new Slots(1);
    const first = gate();
    const order: string[] = [];
    const working = slots.use(() => first.opened.then(() => void order.push('first')));
    const waiting = ['second', 'third'].map((name) => slots.use(async () => void order.push(name)));
    expect(order).toEqual([]);
    first.open();
    await Promise.all([working, ...waiting]);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  it('lets go who is told to stop while waiting, and gives the slot to the next', async () => {
    const slots = new Slots(1);
    const first = gate();
    const controller = new AbortController();
    const working = slots.use(() => first.opened);
    let ran = false;
    const stopped = slots.use(async () => void (ran = true), controller.signal);
    const next = slots.use(async () => 'next');
    controller.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    first.open();
    await working;
    expect(await next).toBe('next');
    expect(ran).toBe(false);
  });
});
