import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ChannelModel } from 'amqplib';
import { SeededRandom, VirtualClock } from '#time/testing';
import { silentLogger } from '../port/bus-logger.js';
import { parseBrokerUrl } from './broker-url.js';

const connect = jest.fn<(url: string, options: { timeout: number }) => Promise<ChannelModel>>();
jest.unstable_mockModule('amqplib', () => ({ connect }));
const { SupervisedConnection } = await import('./connection.adapter.js');

let clock: VirtualClock;
let answers: boolean;
let model: EventEmitter;

beforeEach(() => {
  clock = new VirtualClock(new SeededRandom(1));
  answers = true;
  connect.mockReset().mockImplementation(async (_url, { timeout }) => {
    // As amqplib does it with a broker that says nothing.
    if (!answers) {
      await clock.sleep(timeout);
      throw new Error('connect ETIMEDOUT');
    }
    model = new EventEmitter();
    const stream = { destroy: () => undefined };
    return Object.assign(model, { connection: { stream }, close: async () => undefined }) as never;
  });
});

const reconnected = jest.fn();

describe('a lost connection', () => {
  it('is retried five seconds after an unanswered attempt, so that a returned broker is found', async () => {
    const connection = new SupervisedConnection({
      url: parseBrokerUrl('amqp://broker'),
      name: 'a connection',
      logger: silentLogger,
      clock,
      random: new SeededRandom(2),
      onReconnect: reconnected,
    });
    await connection.open();
    answers = false;
    model.emit('close', new Error('gone'));
    await clock.advance(1_000);
    expect(connect).toHaveBeenCalledTimes(2);
    answers = true;
    await clock.advance(5_000);
    expect(connection.model).toBe(model);
    expect(connect).toHaveBeenCalledTimes(3);
    expect(reconnected).toHaveBeenCalledTimes(1);
    await connection.close();
  });
});
