import { describe, expect, it } from '@jest/globals';
import type { Delivery } from './bus.port.js';
import { dispatchTo, type Handlers } from './handlers.js';
import { turnAdvance } from './testing/sample-messages.js';

describe('dispatchTo', () => {
  it('gives the message to the handler of its type', async () => {
    const handlers: Handlers<'turns'> = { 'turn.advance': async ({ body }) => ({ reject: body.turn_id }) };
    const delivery: Delivery = {
      message: turnAdvance('turn-7'),
      redelivered: false,
      lost: new AbortController().signal,
    };
    expect(await dispatchTo(handlers)(delivery)).toEqual({ reject: 'turn-7' });
  });

  it('does not compile without a handler for each type, or with another', () => {
    // @ts-expect-error turn.advance is missing
    const missing: Handlers<'turns'> = {};
    // @ts-expect-error tool.call does not belong to results
    const foreign: Handlers<'results'> = { 'tool.result': async () => 'ack', 'tool.call': async () => 'ack' };
    expect([missing, foreign]).toHaveLength(2);
  });
});
