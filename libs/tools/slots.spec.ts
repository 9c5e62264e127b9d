import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => undefined as void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

async function untilTrue(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function mostAtOnce(slots: Slots): Promise<number> {
  let [working, most] = [0, 0];
  const work = async () => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setImmediate(resolve));
    working--;
  };
  await Promise.all([1, 2, 3].map(() => slots.use(work)));
  return most;
}

describe('Slots', () => {
  it('lets a limited number work at once, the others in order', async () => {
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

  it('can be lent to another one, and is taken back when that one is done', async () => {
    const slots = new Slots(1);
    const [asked, second] = [gate(), gate()];
    const order: string[] = [];
    const working = slots.use(async (slot) => {
      slot.lend();
      slot.lend();
      await asked.opened;
      await slot.takeBack();
      order.push('lent still');
      await slot.takeBack();
      order.push('back');
    });
    const waiting = slots.use(() => second.opened.then(() => void order.push('second')));
    asked.open();
    await untilTrue(() => order.length === 1);
    second.open();
    await Promise.all([working, waiting]);
    expect(order).toEqual(['lent still', 'second', 'back']);
    expect(await mostAtOnce(slots)).toBe(1);
  });

  it('is freed once when its owner ends or is stopped while it is lent', async () => {
    const slots = new Slots(1);
    const controller = new AbortController();
    const over = gate();
    const held = slots.use(() => over.opened);
    const waiting = slots.use((slot) => {
      slot.lend();
      const other = slots.use(() => over.opened);
      void slot.takeBack();
      return other;
    });
    const stopped = slots.use(async (slot) => {
      slot.lend();
      const other = slots.use(() => over.opened);
      const back = slot.takeBack();
      controller.abort(new Error('stopped'));
      await back.finally(() => other);
    }, controller.signal);
    const outcome = stopped.catch((error: unknown) => error);
    over.open();
    await Promise.all([held, waiting]);
    expect(await outcome).toMatchObject({ message: 'stopped' });
    expect(await mostAtOnce(slots)).toBe(1);
  });

  it('releases a waiting owner that is stopped, and gives the slot to the next', async () => {
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
