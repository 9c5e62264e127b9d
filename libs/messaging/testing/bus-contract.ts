import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  encodeMessage,
  MAX_MESSAGE_BYTES,
  type ConversationEvent,
  type Message,
  type Role,
} from '#contracts';
import { controlKey } from '#contracts';
import type { Bus, DeadDelivery, Delivery } from '../port/bus.port.js';
import { DELIVERY_LIMIT, toolsQueue } from '../port/topology.js';
import { inTime } from '../../../test/services/wait-for.js';
import { eventually } from './eventually.js';
import { probe, superseded, token, toolCall, turnAdvance } from './sample-messages.js';

/** A broker under test and ways to bypass the port. */
export interface BusHarness {
  /** Returns a bus that is not open; the suite closes it. */
  createBus(identity: { role: Role; processId: string }): Bus;
  /** Puts raw bytes into a command queue. */
  publishBytes(queue: string, content: Buffer, messageId: string): Promise<void>;
  /** Creates a command queue that refuses messages when it holds about this many. */
  makeShortQueue(queue: string, maxLength: number): Promise<void>;
  close(): Promise<void>;
}

function follow(bus: Bus, conversationId: string): Promise<void> {
  return inTime(bus.follow(conversationId), { what: `${conversationId} is followed` });
}

interface Process {
  bus: Bus;
  role: Role;
  processId: string;
}

/** The promises of every adapter of the bus port. Each test uses separate queues. */
export function describeBusContract(name: string, createHarness: () => Promise<BusHarness>): void {
  describe(`the bus contract on ${name}`, () => {
    let harness: BusHarness;
    let queue: string;
    const buses: Bus[] = [];

    async function start(role: Role = 'orchestrator'): Promise<Process> {
      const processId = `${role}-${randomUUID()}`;
      const bus = harness.createBus({ role, processId });
      buses.push(bus);
      await bus.open();
      return { bus, role, processId };
    }

    /** Consumes and acknowledges everything. */
    async function collect(bus: Bus, from: string, prefetch = 50): Promise<string[]> {
      const ids: string[] = [];
      await bus.consume(from, { prefetch }, async ({ message }) => {
        ids.push(message.id);
        return 'ack';
      });
      return ids;
    }

    beforeAll(async () => {
      harness = await createHarness();
    }, 120_000);
    afterAll(() => harness.close());
    beforeEach(() => {
      queue = toolsQueue(`t_${randomUUID().slice(0, 8)}`);
    });
    afterEach(async () => {
      await Promise.all(buses.splice(0).map((bus) => bus.close()));
    });

    describe('commands', () => {
      it('delivers a confirmed message to exactly one of two consumers, equal to what was sent', async () => {
        const { bus } = await start();
        const received: Message[] = [];
        const handler = async ({ message, redelivered, lost }: Delivery) => {
          expect(redelivered).toBe(false);
          expect(lost.aborted).toBe(false);
          received.push(message);
          return 'ack' as const;
        };
        await bus.consume(queue, { prefetch: 1 }, handler);
        await bus.consume(queue, { prefetch: 1 }, handler);
        const sent = [toolCall(), toolCall(), toolCall()];
        for (const message of sent) expect(await bus.publish(queue, message)).toBe('confirmed');
        await eventually('all are received', () => received.length === 3);
        const byId = (a: Message, b: Message) => a.id.localeCompare(b.id);
        expect(received.sort(byId)).toEqual([...sent].sort(byId));
        expect(received[0]).not.toBe(sent[0]);
      });

      it('keeps the order of one publisher for one consumer with prefetch 1', async () => {
        const { bus } = await start();
        const ids = await collect(bus, queue, 1);
        const sent = Array.from({ length: 50 }, toolCall);
        await Promise.all(sent.map((message) => bus.publish(queue, message)));
        await eventually('all are received', () => ids.length === sent.length);
        expect(ids).toEqual(sent.map(({ id }) => id));
      });

      it('returns a message to a queue that does not exist, the others are confirmed meanwhile', async () => {
        const { bus } = await start();
        const ids = await collect(bus, queue);
        const message = toolCall();
        const outcomes = await Promise.all([
          bus.publish(toolsQueue('nobody'), message),
          bus.publish(queue, message),
          bus.publish(toolsQueue('nobody'), message),
          bus.publish(queue, toolCall()),
        ]);
        expect(outcomes).toEqual(['returned', 'confirmed', 'returned', 'confirmed']);
        await eventually('both are received', () => ids.length === 2);
      });

      it('confirms to a queue without consumers and delivers when one comes', async () => {
        const { bus } = await start();
        const consumer = await bus.consume(queue, { prefetch: 1 }, async () => 'ack');
        await consumer.stop(0);
        const message = toolCall();
        expect(await bus.publish(queue, message)).toBe('confirmed');
        await eventually('it is there', async () => {
          const state = await bus.inspect(queue);
          return state !== 'missing' && state.messages === 1;
        });
        const ids = await collect(bus, queue);
        await eventually('it is received', () => ids.length === 1);
        expect(ids).toEqual([message.id]);
      });

      it('refuses what a full queue does not take', async () => {
        const { bus } = await start();
        const short = toolsQueue(`short_${randomUUID().slice(0, 8)}`);
        await harness.makeShortQueue(short, 3);
        const consumer = await bus.consume(short, { prefetch: 1 }, async () => 'ack');
        await consumer.stop(0);
        const outcomes: string[] = [];
        await eventually('a refusal', async () => {
          outcomes.push(await bus.publish(short, toolCall()));
          return outcomes.includes('refused');
        });
        expect(outcomes.slice(0, 3)).toEqual(['confirmed', 'confirmed', 'confirmed']);
        const ids = await collect(bus, short);
        await eventually(
          'it takes messages again',
          async () => (await bus.publish(short, toolCall())) === 'confirmed',
        );
        await eventually('all confirmed ones are received', () => ids.length >= 4);
      });

      it('has at most the prefetch of unacknowledged messages', async () => {
        const { bus } = await start();
        let inHand = 0;
        let most = 0;
        const release: (() => void)[] = [];
        await bus.consume(queue, { prefetch: 3 }, async () => {
          most = Math.max(most, ++inHand);
          await new Promise<void>((resolve) => release.push(resolve));
          inHand--;
          return 'ack';
        });
        await Promise.all(Array.from({ length: 10 }, () => bus.publish(queue, toolCall())));
        await eventually('as many as the prefetch are in hand', () => inHand === 3);
        for (let done = 0; done < 10; done++) {
          await eventually('the next one is in hand', () => release.length > 0);
          release.shift()!();
        }
        await eventually('all are done', () => inHand === 0);
        expect(most).toBe(3);
      });

      it('answers `unknown` while it is not connected', async () => {
        const bus = harness.createBus({ role: 'gateway', processId: 'gateway-idle' });
        buses.push(bus);
        expect(bus.isConnected()).toBe(false);
        expect(bus.connectedForMs()).toBe(0);
        expect(await bus.publish('turns', turnAdvance())).toBe('unknown');
        expect(await bus.send('worker.all', probe())).toBe('unknown');
        bus.emit(token('conversation-1', 0));
      });

      it('begins to consume on connect', async () => {
        const { bus } = await start();
        const late = harness.createBus({ role: 'worker', processId: 'worker-late' });
        buses.push(late);
        const ids = await collect(late, queue);
        await late.open();
        expect(late.isConnected()).toBe(true);
        await eventually(
          'it is consumed',
          async () => (await bus.publish(queue, toolCall())) === 'confirmed' && ids.length > 0,
        );
      });

      it('throws when asked to consume a queue that is not one of ours', async () => {
        const { bus } = await start();
        await expect(bus.consume('tools', { prefetch: 1 }, async () => 'ack')).rejects.toThrow(
          'no queue tools',
        );
      });
    });

    describe('a consumer that goes', () => {
      it('lets the running one finish, takes no other, and leaves the rest to the next consumer', async () => {
        const { bus } = await start();
        const started: string[] = [];
        let release = (): void => {};
        const consumer = await bus.consume(queue, { prefetch: 1 }, async ({ message }) => {
          started.push(message.id);
          await new Promise<void>((resolve) => (release = resolve));
          return 'ack';
        });
        const [first, second] = [toolCall(), toolCall()];
        await bus.publish(queue, first);
        await bus.publish(queue, second);
        await eventually('the first is in hand', () => started.length === 1);
        const stopped = consumer.stop(10_000);
        release();
        await stopped;
        const ids = await collect(bus, queue);
        await eventually('the second is received', () => ids.length === 1);
        expect(ids).toEqual([second.id]);
        expect(started).toEqual([first.id]);
      });

      it('loses running messages after the grace: notifies their handler, delivers them again, settles them once', async () => {
        const { bus } = await start();
        const dead: string[] = [];
        await bus.consumeDead(async (letter) => void (letter.queue === queue && dead.push(letter.messageId)));
        const lost: Delivery[] = [];
        let release = (): void => {};
        const consumer = await bus.consume(queue, { prefetch: 1 }, async (delivery) => {
          lost.push(delivery);
          await new Promise<void>((resolve) => (release = resolve));
          return { reject: 'too late to matter' };
        });
        const message = toolCall();
        await bus.publish(queue, message);
        await eventually('it is in hand', () => lost.length === 1);
        await consumer.stop(10);
        expect(lost[0]!.lost.aborted).toBe(true);
        const again: Delivery[] = [];
        await bus.consume(queue, { prefetch: 1 }, async (delivery) => {
          return again.push(delivery) === 1 ? 'ack' : { reject: 'the last one' };
        });
        await eventually('it is delivered again', () => again.length === 1);
        release();
        expect(again[0]!.message).toEqual(message);
        expect(again[0]!.redelivered).toBe(true);
        const last = toolCall();
        expect(await bus.publish(queue, last)).toBe('confirmed');
        await eventually('only the new one came', () => again.length === 2);
        expect(again[1]!.redelivered).toBe(false);
        await eventually('the new one is dead', () => dead.includes(last.id));
        expect(dead).toEqual([last.id]);
      });

      it('gives its deliveries back when its process closes the bus', async () => {
        const [dying, living] = [await start('worker'), await start('worker')];
        const held: Delivery[] = [];
        await dying.bus.consume(queue, { prefetch: 5 }, async (delivery) => {
          held.push(delivery);
          return new Promise(() => undefined);
        });
        for (let n = 0; n < 5; n++) await living.bus.publish(queue, toolCall());
        await eventually('all are in hand', () => held.length === 5);
        await dying.bus.close();
        expect(held.every(({ lost }) => lost.aborted)).toBe(true);
        expect(dying.bus.isConnected()).toBe(false);
        expect(await dying.bus.publish(queue, toolCall())).toBe('unknown');
        const ids = await collect(living.bus, queue);
        await eventually('all are delivered again', () => ids.length === 5);
        expect(ids).toEqual(held.map(({ message }) => message.id));
      });

      it('is missed by `inspect`', async () => {
        const { bus } = await start();
        expect(await bus.inspect(queue)).toBe('missing');
        const consumer = await bus.consume(queue, { prefetch: 1 }, async () => 'ack');
        expect(await bus.inspect(queue)).toEqual({ consumers: 1, messages: 0 });
        await consumer.stop(0);
        expect(await bus.inspect(queue)).toEqual({ consumers: 0, messages: 0 });
      });
    });

    describe('dead letters', () => {
      const dead: DeadDelivery[] = [];
      const deadOf = (from: string) => dead.filter((letter) => letter.queue === from);

      beforeEach(async () => {
        dead.length = 0;
        const { bus } = await start();
        await bus.consumeDead(async (letter) => void dead.push(letter));
      });

      it('get what a handler rejects and what it throws on', async () => {
        const { bus } = await start();
        const [rejected, thrown] = [toolCall(), toolCall()];
        await bus.consume(queue, { prefetch: 1 }, async ({ message }) => {
          if (message.id === rejected.id) return { reject: 'no such tool' };
          throw new Error('broken handler');
        });
        await bus.publish(queue, rejected);
        await bus.publish(queue, thrown);
        await eventually('both are dead', () => deadOf(queue).length === 2);
        expect(deadOf(queue).map(({ messageId }) => messageId)).toEqual([rejected.id, thrown.id]);
        expect(deadOf(queue).map(({ reason }) => reason)).toEqual([
          'rejected: no such tool',
          'rejected: handler failed: Error: broken handler',
        ]);
        expect(JSON.parse(deadOf(queue)[0]!.content.toString())).toEqual(rejected);
      });

      it('get every unreadable message with the reason, and the consumer lives on', async () => {
        const { bus } = await start();
        const ids = await collect(bus, queue, 1);
        for (const [name, { content }] of Object.entries(poison())) {
          await harness.publishBytes(queue, content, name);
        }
        const good = toolCall();
        await bus.publish(queue, good);
        const expected = Object.entries(poison()).map(([name, { reason }]) => [name, `rejected: ${reason}`]);
        await eventually('all are dead', () => deadOf(queue).length === expected.length);
        await eventually('the good one is received', () => ids.length === 1);
        expect(deadOf(queue).map(({ messageId, reason }) => [messageId, reason])).toEqual(expected);
        expect(ids).toEqual([good.id]);
      });

      it('get a message that came back too often', async () => {
        const { bus } = await start();
        const message = toolCall();
        let deliveries = 0;
        for (let crash = 0; crash <= DELIVERY_LIMIT; crash++) {
          const before = deliveries;
          const consumer = await bus.consume(queue, { prefetch: 1 }, async () => {
            deliveries++;
            return new Promise(() => undefined);
          });
          if (crash === 0) await bus.publish(queue, message);
          await eventually('it is in hand', () => deliveries > before);
          await consumer.stop(0);
        }
        await eventually('it is dead', () => deadOf(queue).length === 1);
        expect(deadOf(queue)[0]).toMatchObject({ messageId: message.id, reason: 'delivery_limit' });
        expect(deliveries).toBe(DELIVERY_LIMIT + 1);
      });
    });

    it('offers a dead letter again until it is stored', async () => {
      const { bus } = await start();
      const message = toolCall();
      let tries = 0;
      await bus.consumeDead(async (letter) => {
        if (letter.messageId === message.id && ++tries < 3) throw new Error('the store is down');
      });
      await bus.consume(queue, { prefetch: 1 }, async () => ({ reject: 'bad' }));
      await bus.publish(queue, message);
      await eventually('the third try', () => tries === 3);
    });

    describe('control messages', () => {
      it('reach the process they are sent to, or all of a role', async () => {
        const [a, b] = [await start('worker'), await start('worker')];
        const heard: string[] = [];
        await a.bus.onControl(a, (message) => heard.push(`a ${message.id}`));
        await b.bus.onControl(b, (message) => heard.push(`b ${message.id}`));
        const [own, all] = [superseded('turn-1'), probe()];
        expect(await b.bus.send(controlKey(a.processId), own)).toBe('confirmed');
        expect(await a.bus.send('worker.all', all)).toBe('confirmed');
        await eventually('all are heard', () => heard.length === 3);
        expect(heard.sort()).toEqual([`a ${own.id}`, `a ${all.id}`, `b ${all.id}`].sort());
      });

      it('come back when the process is dead', async () => {
        const [living, dying] = [await start(), await start('worker')];
        await dying.bus.onControl(dying, () => undefined);
        const key = controlKey(dying.processId);
        expect(await living.bus.send(key, probe())).toBe('confirmed');
        await dying.bus.close();
        await eventually('it is returned', async () => (await living.bus.send(key, probe())) === 'returned');
        const toAll = async () => (await living.bus.send('worker.all', probe())) === 'returned';
        await eventually('nobody of its role is left either', toAll);
      });

      it('survive a handler that throws', async () => {
        const [own, other] = [await start(), await start()];
        const heard: string[] = [];
        await own.bus.onControl(own, (message) => {
          heard.push(message.id);
          throw new Error('broken handler');
        });
        // What a process tells itself need not take the same way.
        for (const { bus } of [own, other, own, other])
          expect(await bus.send(controlKey(own.processId), probe())).toBe('confirmed');
        await eventually('all are heard', () => heard.length === 4);
      });
    });

    describe('events', () => {
      function listen(bus: Bus): ConversationEvent[] {
        const events: ConversationEvent[] = [];
        bus.onEvent({ event: (event) => events.push(event), gap: () => undefined });
        return events;
      }

      it('reach the followers of the conversation, all and in order, from the moment follow resolved', async () => {
        const [emitter, gateway, other] = [await start(), await start('gateway'), await start('gateway')];
        const [events, others] = [listen(gateway.bus), listen(other.bus)];
        const conversations = Array.from({ length: 20 }, () => randomUUID());
        await Promise.all(conversations.map((id) => follow(gateway.bus, id)));
        await follow(other.bus, conversations[0]!);
        for (let offset = 0; offset < 100; offset++) {
          for (const id of conversations) emitter.bus.emit(token(id, offset));
        }
        await eventually('all arrive', () => events.length === 2_000 && others.length === 100);
        for (const id of conversations) {
          const offsets = events.flatMap((event) =>
            event.type === 'token' && event.conversation_id === id ? [event.offset] : [],
          );
          expect(offsets).toEqual(Array.from({ length: 100 }, (_, offset) => offset));
        }
      });

      it('are equal to what was emitted and share no memory with it', async () => {
        const { bus } = await start('gateway');
        const events = listen(bus);
        await follow(bus, 'conversation-1');
        const event = token('conversation-1', 0, 'ä€🙂');
        bus.emit(event);
        await eventually('it arrives', () => events.length === 1);
        expect(events[0]).toEqual(event);
        expect(events[0]).not.toBe(event);
      });

      it('end with unfollow and come again with follow', async () => {
        const { bus } = await start('gateway');
        const events = listen(bus);
        const [id, other] = [randomUUID(), randomUUID()];
        await follow(bus, id);
        await follow(bus, other);
        bus.unfollow(id);
        bus.emit(token(id, 1));
        bus.emit(token(other, 2));
        await eventually('the other arrives', () => events.length > 0);
        await follow(bus, id);
        bus.emit(token(id, 3));
        await eventually('the third arrives', () => events.length > 1);
        expect(events).toMatchObject([{ offset: 2 }, { offset: 3 }]);
      });

      it('survive a listener that throws', async () => {
        const { bus } = await start('gateway');
        bus.onEvent({
          event: () => {
            throw new Error('broken listener');
          },
          gap: () => undefined,
        });
        const events = listen(bus);
        await follow(bus, 'conversation-1');
        bus.emit(token('conversation-1', 0));
        bus.emit(token('conversation-1', 1));
        await eventually('both arrive', () => events.length === 2);
      });
    });
  });
}

function poison(): Record<string, { content: Buffer; reason: string }> {
  const good = toolCall();
  const withBody = (body: object) =>
    Buffer.from(JSON.stringify({ ...good, body: { ...good.body, ...body } }));
  let deep: object = {};
  // The envelope and its body are two levels, `arguments` the third.
  for (let level = 3; level < 33; level++) deep = { deep };
  return {
    not_json: { content: Buffer.from('{"id":'), reason: 'not JSON' },
    not_utf8: { content: Buffer.from([0x22, 0xff, 0x22]), reason: 'not JSON' },
    empty: { content: Buffer.alloc(0), reason: 'not JSON' },
    wrong_schema: {
      content: withBody({ n: 'one' }),
      reason: 'body: n: must be a number',
    },
    foreign_type: { content: encodeMessage(turnAdvance()), reason: 'type turn.advance does not belong here' },
    too_deep: { content: withBody({ arguments: deep }), reason: 'deeper than 32 levels' },
    too_large: {
      content: withBody({ arguments: { text: 'x'.repeat(1.1 * 1024 * 1024) } }),
      reason: `larger than ${MAX_MESSAGE_BYTES} bytes`,
    },
    next_version: {
      content: Buffer.from(JSON.stringify({ ...good, version: '2.0.0' })),
      reason: 'version: unsupported version',
    },
  };
}
