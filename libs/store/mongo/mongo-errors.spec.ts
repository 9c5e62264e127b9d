import { describe, expect, it } from '@jest/globals';
import mongoose from 'mongoose';
import { StoreSetupError, StoreUnavailableError } from '../port/store-errors.js';
import { translateMongoError } from './mongo-errors.js';

const { mongo } = mongoose;

/** The driver's own class of this name, which it does not export: for a connection in use whose server fell silent. */
class PoolClearedOnNetworkError extends mongo.MongoNetworkError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}

describe('translateMongoError', () => {
  it.each([
    new mongo.MongoNetworkError('connection closed'),
    new mongo.MongoServerSelectionError('no server', {} as never),
    new PoolClearedOnNetworkError('connection pool was cleared'),
    new mongo.MongoServerError({ message: 'not primary', code: 10107 }),
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
  ])('treats %s as transient', (error) => {
    expect(translateMongoError(error)).toBeInstanceOf(StoreUnavailableError);
  });

  it.each([
    new mongo.MongoServerError({ message: 'not authorized on db', code: 13 }),
    new mongo.MongoParseError('bad url'),
    new mongoose.Error.CastError('number', 'x', 'n'),
    new TypeError('of our own'),
  ])('treats %s as permanent, and does not repeat its text', (error) => {
    const translated = translateMongoError(error);
    expect(translated).toBeInstanceOf(StoreSetupError);
    expect(translated.message).not.toContain(error.message);
  });
});
