import 'reflect-metadata';
import { Controller, Module, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { of, type Observable } from 'rxjs';
import { controlKey, QUEUE_TYPES, TAKEN_BY, type Message, type Role } from '#contracts';
import { SystemClock, systemTime } from '#time';
import type { Bus, DeadDelivery, DeliveryOutcome } from '../port/bus.port.js';
import { createMemoryBus } from '../memory/memory-bus.adapter.js';
import { MemoryBroker } from '../memory/memory-broker.js';
import { eventually } from '../testing/eventually.js';
import { probe, superseded, toolCall, turnAdvance } from '../testing/sample-messages.js';
import { BusContext } from './bus-context.js';
import { BusStrategy } from './bus-strategy.js';
import { connectBus, startBusApp } from './connect-bus.js';
import { DEAD, Handles, HandlesDead } from './handles.js';

const seen: { message: Message; context: BusContext }[] = [];
const deadLetters: DeadDelivery[] = [];
const failure = new Error('the handler broke');

@Controller()
class TurnsController {
  @Handles('turn.advance')
  async advance(message: Message<'turn.advance'>, context: BusContext): Promise<DeliveryOutcome | void> {
    seen.push({ message, context });
    if (message.body.turn_id === 'throws') throw failure;
    if (message.body.turn_id === 'rejects') return { reject: 'not mine' };
  }

  @HandlesDead()
  async keep(dead: DeadDelivery): Promise<void> {
    deadLetters.push(dead);
  }

  @Handles('turn.superseded')
  async yieldTurn(message: Message<'turn.superseded'>, context: BusContext): Promise<void> {
    seen.push({ message, context });
    if (message.body.turn_id === 'throws') throw failure;
  }
}

@Controller()
class CallsController {
  @MessagePattern('tool.call')
  call(message: Message<'tool.call'>, context: BusContext): Observable<DeliveryOutcome> {
    seen.push({ message, context });
    return of('ack');
  }
}

@Controller()
class SecondController {
  @Handles('turn.advance')
  advance(): void {}
}

/** Handles what else the role takes. */
function restOf(role: Role, handled: readonly string[]): Type {
  class RestController {}
  Controller()(RestController);
  const { queues, control, deadLetters } = TAKEN_BY[role];
  const queued = queues.flatMap((kind): readonly string[] => QUEUE_TYPES[kind]);
  const types = new Set([...queued, ...control, ...(deadLetters ? [DEAD] : [])]);
  for (const type of types) {
    if (handled.includes(type)) continue;
    const method = { value: () => undefined, writable: true, configurable: true };
    Object.defineProperty(RestController.prototype, type, method);
    MessagePattern(type)(RestController.prototype, type, method);
  }
  return RestController;
}

const ORCHESTRATOR = [TurnsController, restOf('orchestrator', ['turn.advance', 'turn.superseded', DEAD])];
const WORKER = [CallsController, restOf('worker', ['tool.call'])];

type App = Pick<INestApplication, 'close'>;

async function startWithHttp(module: Type, strategy: BusStrategy): Promise<App> {
  const app = await NestFactory.create(module, { logger: false, abortOnError: false });
  connectBus(app, strategy);
  await app.startAllMicroservices();
  return app;
}

describe.each([
  ['an application with HTTP', startWithHttp],
  [
    'an application without HTTP',
    (module: Type, strategy: BusStrategy): Promise<App> => startBusApp(module, strategy, false),
  ],
])('BusStrategy in %s', (_where, startApp) => {
  const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const apps: App[] = [];
  let bus: Bus;

  beforeEach(async () => {
    seen.length = 0;
    deadLetters.length = 0;
    jest.clearAllMocks();
    bus = createMemoryBus({
      broker: new MemoryBroker(new SystemClock()),
      logger,
      ...systemTime(),
    });
    await bus.open();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    await bus.close();
  });

  async function start(controllers: Type[], role: Role = 'orchestrator'): Promise<BusStrategy> {
    @Module({ controllers })
    class TestModule {}
    const strategy = new BusStrategy(bus, { role, logger });
    apps.push(await startApp(TestModule, strategy));
    return strategy;
  }

  it('acknowledges when the handler returns, and passes it the message and its delivery', async () => {
    const strategy = await start(ORCHESTRATOR);
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

  it('rejects when the handler throws or rejects, and keeps the original error', async () => {
    const strategy = await start(ORCHESTRATOR);
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

  it('uses the outcome of an Observable', async () => {
    const strategy = await start(WORKER, 'worker');
    await strategy.startConsuming('tools.math', { prefetch: 1 });
    await bus.publish('tools.math', toolCall());
    await eventually('it is handled', () => seen.length === 1);
    await strategy.stopConsuming(1_000);
    expect(await bus.inspect('tools.math')).toEqual({ consumers: 0, messages: 0 });
  });

  it('forgets a consumer that was stopped directly', async () => {
    const strategy = await start(WORKER, 'worker');
    let stops = 0;
    jest.spyOn(bus, 'consume').mockImplementation(async () => ({ stop: async () => void stops++ }));
    const consumer = await strategy.startConsuming('tools.math', { prefetch: 1 });
    await strategy.startConsuming('tools.web', { prefetch: 1 });
    await consumer.stop(0);
    expect(stops).toBe(1);
    await strategy.stopConsuming(0);
    expect(stops).toBe(2);
  });

  it('passes control messages to handlers of the role’s types, even if they throw', async () => {
    const strategy = await start(ORCHESTRATOR);
    const processId = 'orchestrator-1';
    await strategy.startControl(processId);
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

  it('does not consume a queue that its role does not use', async () => {
    const strategy = await start(ORCHESTRATOR);
    await expect(strategy.startConsuming('tools.math', { prefetch: 1 })).rejects.toThrow(
      'the orchestrator does not consume from tools.math',
    );
    await expect(strategy.startConsuming('tunrs', { prefetch: 1 })).rejects.toThrow(
      'the orchestrator does not consume from tunrs',
    );
  });

  it('does not consume dead letters for a role without a handler for them', async () => {
    const strategy = await start(WORKER, 'worker');
    await expect(strategy.startDead()).rejects.toThrow('the worker has no handler for dead');
  });

  it.each([
    ['a control message', 'turn.stop'],
    ['messages of its queues', 'tool.result'],
    ['dead letters', DEAD],
  ])('does not start without a handler for %s of its role', async (_what, type) => {
    const rest = restOf('orchestrator', ['turn.advance', 'turn.superseded', DEAD, type]);
    const controllers = type === DEAD ? [restOf('orchestrator', [DEAD])] : [TurnsController, rest];
    await expect(start(controllers)).rejects.toThrow(
      `the orchestrator accepts ${type} but has no handler for it`,
    );
  });

  it.each([
    ['that another role takes', 'tool.call'],
    ['that does not exist', 'turn.advanced'],
  ])('does not start with a handler for a type %s', async (_what, type) => {
    class Stray {
      handle(): void {}
    }
    Controller()(Stray);
    MessagePattern(type)(
      Stray.prototype,
      'handle',
      Object.getOwnPropertyDescriptor(Stray.prototype, 'handle')!,
    );
    await expect(start([...ORCHESTRATOR, Stray])).rejects.toThrow(
      `the orchestrator has a handler for ${type}, which it does not accept`,
    );
  });

  it('does not start with two handlers for a type', async () => {
    await expect(start([...ORCHESTRATOR, SecondController])).rejects.toThrow(
      'turn.advance needs exactly one',
    );
  });

  it('does not compile a handler whose method expects another type', () => {
    class Wrong {
      // @ts-expect-error the method takes another message than the decorator says
      @Handles('turn.stop')
      stop(message: Message<'turn.peek'>): void {
        seen.push({ message, context: new BusContext(['control']) });
      }
    }
    expect(Wrong).toBeDefined();
  });
});
