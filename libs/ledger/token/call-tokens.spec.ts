import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CallTicket } from '#contracts';
import { createStore, type Store } from '#store';
import { systemTime } from '#time';
import { CallTokens } from './call-tokens.js';

const CALL: Omit<CallTicket, 'token'> = {
  tool_call_id: `call_${'0'.repeat(22)}`,
  turn_id: 'turn_1',
  conversation_id: 'conv_1',
  n: 1,
  user_id: 'ann',
  tool_name: 'lab.echo',
  class: 'once',
  max_attempts: 2,
  reply_to: 'orchestrator.1',
};

let store: Store;
let tokens: CallTokens;
beforeEach(async () => {
  store = createStore({ ...systemTime(), dataDir: ':memory:' });
  await store.open();
  tokens = await CallTokens.open(store, systemTime().clock);
});

describe('the token of a call', () => {
  it('is known to every process with the same store, and to no other', async () => {
    const ticket = { ...CALL, token: tokens.sign(CALL) };
    const { clock } = systemTime();
    expect((await CallTokens.open(store, clock)).isValid(ticket)).toBe(true);
    const other = createStore({ ...systemTime(), dataDir: ':memory:' });
    await other.open();
    expect((await CallTokens.open(other, clock)).isValid(ticket)).toBe(false);
  });

  it.each<[keyof CallTicket, Partial<CallTicket>]>([
    ['tool_call_id', { tool_call_id: `call_${'1'.repeat(22)}` }],
    ['turn_id', { turn_id: 'turn_2' }],
    ['conversation_id', { conversation_id: 'conv_2' }],
    ['n', { n: 2 }],
    ['user_id', { user_id: 'bob' }],
    ['tool_name', { tool_name: 'lab.other' }],
    ['class', { class: 'read' }],
    ['max_attempts', { max_attempts: 3 }],
    ['reply_to', { reply_to: 'orchestrator.2' }],
  ])('covers its %s', (_, change) => {
    expect(tokens.isValid({ ...CALL, ...change, token: tokens.sign(CALL) })).toBe(false);
  });
});
