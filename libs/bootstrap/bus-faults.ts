import type { Bus } from '#messaging';
import type { Random } from '#time';
import { replaceMethods } from './replace-methods.js';

/*
 * A bus with faults, for soak tests. Inert unless the environment variable SWITCHYARD_BUS_FAULT sets it: `twice`,
 * `drop:<percent>`, or both with a comma between them.
 */

export interface BusFaults {
  /** Every message is sent twice. */
  isTwice: boolean;
  /** This share of all sent messages, copies included, never arrives, although the broker has confirmed it. */
  dropPercent: number;
}

/** Throws on text that sets no fault, because a test without its faults passes. */
export function parseBusFaults(text: string | undefined): BusFaults | undefined {
  if (text === undefined || text === '') return undefined;
  const faults: BusFaults = { isTwice: false, dropPercent: 0 };
  for (const part of text.split(',')) {
    const percent = /^drop:([1-9]\d?)$/.exec(part)?.[1];
    if (part === 'twice') faults.isTwice = true;
    else if (percent !== undefined) faults.dropPercent = Number(percent);
    else throw new Error('SWITCHYARD_BUS_FAULT must be twice, drop:<percent>, or twice,drop:<percent>');
  }
  return faults;
}

/**
 * Returns the bus itself without faults; with faults, a bus that duplicates and loses commands, control messages and
 * events.
 */
export function withBusFaults(
  bus: Bus,
  random: Pick<Random, 'float'>,
  faults: BusFaults | undefined = parseBusFaults(process.env.SWITCHYARD_BUS_FAULT),
): Bus {
  if (!faults) return bus;
  const copies = faults.isTwice ? 2 : 1;
  const isLost = () => random.float() * 100 < faults.dropPercent;
  const send = async (sendOne: () => ReturnType<Bus['publish']>) => {
    const sendOrLose = async () => (isLost() ? ('confirmed' as const) : sendOne());
    const [first] = await Promise.all(Array.from({ length: copies }, sendOrLose));
    return first!;
  };
  return replaceMethods(bus, {
    publish: (queue, message) => send(() => bus.publish(queue, message)),
    send: (controlKey, message) => send(() => bus.send(controlKey, message)),
    emit: (event) => {
      for (let copy = 0; copy < copies; copy++) if (!isLost()) bus.emit(event);
    },
  });
}
