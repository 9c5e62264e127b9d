import 'reflect-metadata';
import { Controller, Module, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { of, type Observable } from 'rxjs';
import { controlKey, type Message } from '#contracts';
import { SystemClock, systemTime } from '#time';
import type { BusLogger } from '../bus-logger.js';
import type { Bus, DeadDelivery, DeliveryOutcome } from '../bus.port.js';
import { createMemoryBus } from '../memory/memory-bus.adapter.js';
import { MemoryBroker } from '../memory/memory-broker.js';
import { eventually } from '../testing/eventually.js';
import { probe, superseded, toolCall, turnAdvance } from '../testing/sample-messages.js';
import { BusContext } from './bus-context.js';
import { BusStrategy, connectBus, roleTransport } from './bus-strategy.js';

const seen: { message: Message; context: BusContext }[] = [];
const deadLetters: DeadDelivery[] = [];
const failure = new Error('the handler broke');

@Controller()
class TurnsController {
  @MessagePattern('turn.advance')
  async advance(
    @Payload() message: Message<'turn.advance'>,
    @Ctx() context: BusContext,
  ): Promise<DeliveryOutcome | void> {
    seen.push({ message, context });
    if (message.body.turn_id === 'throws') throw failure;
    if (message.body.turn_id === 'rejects') return { reject: 'not mine' };
  }

  @MessagePattern('dead')
  async keep(@Payload() dead: DeadDelivery): Promise<void> {
    deadLetters.push(dead);
  }

  @MessagePattern('tool.call', roleTransport('worker'))
  call(@Payload() message: Message<'tool.call'>, @Ctx() context: BusContext): Observable<DeliveryOutcome> {
    seen.push({ message, context });
    return of('ack');
  }

  @MessagePattern('turn.superseded')
  async yieldTurn(@Payload() message: Message<'turn.superseded'>, @Ctx() context: BusContext): Promise<void> {
    seen.push({ message, context });
    if (message.body.turn_id === 'throws') throw failure;
  }
}

@Controller()
class UnknownTypeController {
  @MessagePattern('turn.advanced')
  advance(): void {}
}

@Controller()
class SecondController {
  @MessagePattern('turn.advance')
  advance(): void {}
}

describe('BusStrategy', () => {
  const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const apps: INestApplication[] = [];
  let bus: Bus;

  beforeEach(async () => {
    seen.length = 0;
    deadLetters.length = 0;
    jest.clearAllMocks();
    bus = createMemoryBus({
      broker: new MemoryBroker(new SystemClock()),
      logger: logger as BusLogger,
      ...systemTime(),
    });
    await bus.open();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await bus.close();
  });

  async function start(controllers: Type[], role?: 'worker'): Promise<BusStrategy> {
    @Module({ controllers })
    class TestModule {}
    const app = await NestFactory.create(TestModule, { logger: false });
    apps.push(app);
    const strategy = new BusStrategy(bus, { role, logger: logger as BusLogger });
    connectBus(app, strategy);
    await app.startAllMicroservices();
    return strategy;
  }

  it('acknowledges when the handler returns, which got the message and its delivery', async () => {
    const strategy = await start([TurnsController]);
    const consumer = await strategy.startConsuming('turns', { prefetch: 1 });
    const message = turnAdvance();
    await bus.publish('turns', message);
    await eventually('it is handled', () => seen.length === 1);
    await consumer.stop(1_000);
    expect(seen[0]!.message).toEqual(message);
    expect(seen[0]!.context.source).toBe('turns');
    expect(seen[0]!.context.delivery).toMatchObject({ message, redelivered: false });
    expect(await bus.inspect('turns')).toEqual({ consumers: 0, messages: 0 });
    expect(await bus.inspect('dead-letters')).toEqual({ consumers: 0, messages: 0 });
  });

  it('rejects what the handler throws on or rejects, and keeps the original error', async () => {
    const strategy = await start([TurnsController]);
    await strategy.startConsuming('turns', { prefetch: 1 });
    await strategy.startDead();
    const [throws, rejects] = [turnAdvance('throws'), turnAdvance('rejects')];
    await bus.publish('turns', throws);
    await bus.publish('turns', rejects);
    await eventually('both are dead', () => deadLetters.length === 2);
    expect(deadLetters.map(({ messageId }) => messageId)).toEqual([throws.id, rejects.id]);
    const logged = logger.error.mock.calls[0] as unknown as [{ err: unknown }];
    expect(logged[0].err).toBe(failure);
    expect(logger.warn).toHaveBeenCalledWith(
      expect.objectContaining({ reason: 'not mine' }),
      expect.anything(),
    );
  });

  it('takes the outcome of an Observable, and handlers of its role', async () => {
    const strategy = await start([TurnsController], 'worker');
    await strategy.startConsuming('tools.math', { prefetch: 1 });
    await bus.publish('tools.math', toolCall());
    await eventually('it is handled', () => seen.length === 1);
    await strategy.stopConsuming(1_000);
    expect(await bus.inspect('tools.math')).toEqual({ consumers: 0, messages: 0 });
  });

  it('forgets a consumer that was stopped by itself', async () => {
    const strategy = await start([TurnsController], 'worker');
    let stops = 0;
    jest.spyOn(bus, 'consume').mockImplementation(async () => ({ stop: async () => void stops++ }));
    const consumer = await strategy.startConsuming('tools.math', { prefetch: 1 });
    await strategy.startConsuming('tools.web', { prefetch: 1 });
    await consumer.stop(0);
    expect(stops).toBe(1);
    await strategy.stopConsuming(0);
    expect(stops).toBe(2);
  });

  it('passes control messages on to the types asked for, whatever their handlers throw', async () => {
    const strategy = await start([TurnsController]);
    const processId = 'orchestrator-1';
    await strategy.startControl({ role: 'orchestrator', processId }, ['turn.superseded']);
    for (const message of [probe(), superseded('throws'), superseded('turn-1')]) {
      expect(await bus.send(controlKey(processId), message)).toBe('confirmed');
    }
    await eventually('both are handled', () => seen.length === 2);
    expect(seen.map(({ context }) => context.source)).toEqual(['control', 'control']);
    expect(logger.error).toHaveBeenCalledWith(
      expect.objectContaining({ err: failure }),
      'control handler failed',
    );
  });

  it('does not start to consume a queue with a type that has no handler', async () => {
    const strategy = await start([TurnsController]);
    await expect(strategy.startConsuming('results', { prefetch: 1 })).rejects.toThrow(
      'results carries tool.result, which has no @MessagePattern handler',
    );
    await expect(
      strategy.startControl({ role: 'worker', processId: 'worker-1' }, ['tool.cancel']),
    ).rejects.toThrow('control carries tool.cancel');
    await expect(strategy.startConsuming('tunrs', { prefetch: 1 })).rejects.toThrow(
      'there is no queue tunrs',
    );
  });

  it('does not start with a handler for a type that does not exist', async () => {
    await expect(start([TurnsController, UnknownTypeController])).rejects.toThrow(
      'there is no message type turn.advanced',
    );
  });

  it('does not start with two handlers for a type', async () => {
    await expect(start([TurnsController, SecondController])).rejects.toThrow(
      'turn.advance needs exactly one',
    );
  });
});
