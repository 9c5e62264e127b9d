import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, Message } from '#contracts';
import { newMessage } from '#contracts';
import { createMemoryBus, MemoryBroker, type Bus } from '#messaging';
import { SystemClock, SystemRandom, systemTime } from '#time';
import { waitFor } from '../../test/services/wait-for.js';
import { parseBusFaults, withBusFaults, type BusFaults } from './bus-faults.js';

const event: ConversationEvent = {
  type: 'turn_started',
  conversation_id: 'conv_1',
  turn_id: 'turn_1',
  timestamp: '2026-01-01T00:00:00.000Z',
  number: 1,
};

const last: ConversationEvent = { ...event, turn_id: 'turn_2' };

/** What arrives of one command, one control message and one event. */
async function arrivals(faults: BusFaults | undefined, float = 0) {
  const arrived: string[] = [];
  const passed: string[] = [];
  const inner = createMemoryBus({ broker: new MemoryBroker(new SystemClock()), ...systemTime() });
  const bus: Bus = withBusFaults(inner, { float: () => float }, faults);
  await bus.open();
  const arrive = (what: string, turnId: string) =>
    void (turnId === last.turn_id ? passed : arrived).push(what);
  await bus.consume('turns', { prefetch: 10 }, async ({ message }) => {
    arrive('command', (message.body as { turn_id: string }).turn_id);
    return 'ack';
  });
  const identity = { role: 'gateway' as const, processId: 'gateway-1' };
  await bus.onControl(identity, ({ body }) => arrive('control', (body as { turn_id: string }).turn_id));
  bus.onEvent({ event: (told) => arrive('event', told.turn_id), gap: () => undefined });
  await bus.follow('conv_1');
  const hint: Message = newMessage(systemTime(), 'turn.advance', {
    turn_id: 'turn_1',
    conversation_id: 'conv_1',
  });
  const outcomes = [await bus.publish('turns', hint), await bus.send('gateway.1', hint)];
  bus.emit(event);
  // What comes later, and loses nothing, comes after all of it.
  await inner.publish(
    'turns',
    newMessage(systemTime(), 'turn.advance', { turn_id: last.turn_id, conversation_id: 'conv_1' }),
  );
  await inner.send(
    'gateway.1',
    newMessage(systemTime(), 'turn.advance', { turn_id: last.turn_id, conversation_id: 'conv_1' }),
  );
  inner.emit(last);
  await waitFor(() => passed.length === 3, { what: 'the last of each' });
  await bus.close();
  return { arrived: arrived.sort(), outcomes };
}

describe('withBusFaults', () => {
  it('returns the bus itself unless the environment asks for faults', () => {
    const bus = createMemoryBus({ broker: new MemoryBroker(new SystemClock()), ...systemTime() });
    expect(withBusFaults(bus, new SystemRandom())).toBe(bus);
  });

  it('sends every message twice', async () => {
    const { arrived } = await arrivals({ isTwice: true, dropPercent: 0 });
    expect(arrived.filter((what) => what === 'command')).toHaveLength(2);
    expect(arrived.filter((what) => what === 'event')).toHaveLength(2);
  });

  it('loses messages that it reports as sent', async () => {
    const { arrived, outcomes } = await arrivals({ isTwice: false, dropPercent: 10 }, 0.09);
    expect({ arrived, outcomes }).toEqual({ arrived: [], outcomes: ['confirmed', 'confirmed'] });
  });

  it('loses no more messages than configured', async () => {
    const { arrived } = await arrivals({ isTwice: false, dropPercent: 10 }, 0.11);
    expect(arrived).toContain('command');
    expect(arrived).toContain('event');
  });
});

describe('parseBusFaults', () => {
  it('reads one or both faults', () => {
    expect(parseBusFaults(undefined)).toBeUndefined();
    expect(parseBusFaults('twice')).toEqual({ isTwice: true, dropPercent: 0 });
    expect(parseBusFaults('twice,drop:10')).toEqual({ isTwice: true, dropPercent: 10 });
  });

  it.each(['once', 'drop', 'drop:0', 'drop:100', 'twice,'])('refuses %s', (text) => {
    expect(() => parseBusFaults(text)).toThrow('SWITCHYARD_BUS_FAULT must be');
  });
});
