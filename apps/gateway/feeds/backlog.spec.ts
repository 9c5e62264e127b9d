import { describe, expect, it } from '@jest/globals';
import type { ConversationEvent, EventOf } from '#contracts';
import { emptyView } from '#turn';
import { Backlog } from './backlog.js';

const fields = { conversation_id: 'conv_1', turn_id: 'turn_1', timestamp: '2026-01-01T00:00:00.000Z' };
const token = (content: string, offset: number, more: Partial<EventOf<'token'>> = {}): ConversationEvent => ({
  type: 'token',
  ...fields,
  step: 1,
  attempt: 100,
  content,
  offset,
  ...more,
});

describe('Backlog', () => {
  it('merges adjacent tokens of a step and keeps the order of everything else', () => {
    const backlog = new Backlog(emptyView('conv_1'));
    backlog.add(token('a', 0));
    backlog.add(token('b', 1));
    backlog.add({ type: 'waiting', ...fields, reason: 'busy', retry_after_ms: 1 });
    backlog.add(token('c', 2));
    backlog.add(token('x', 0, { attempt: 101 }));
    backlog.add(token('y', 1, { attempt: 101 }));
    expect(backlog.list()).toEqual([
      token('ab', 0),
      { type: 'waiting', ...fields, reason: 'busy', retry_after_ms: 1 },
      token('c', 2),
      token('xy', 0, { attempt: 101 }),
    ]);
  });

  it('does not merge across a gap', () => {
    const backlog = new Backlog(emptyView('conv_1'));
    backlog.add(token('a', 0));
    backlog.add(token('c', 2));
    expect(backlog.list()).toHaveLength(2);
  });

  it('overflows beyond 256 KiB and stays overflowed', () => {
    const backlog = new Backlog(emptyView('conv_1'));
    for (let i = 0; i < 256; i++) backlog.add(token('x'.repeat(1024), i * 1024));
    expect([backlog.isBroken, backlog.list().length]).toEqual([false, 1]);
    backlog.add(token('x', 256 * 1024));
    backlog.add(token('x', 256 * 1024 + 1));
    expect([backlog.isBroken, backlog.list().length]).toEqual([true, 0]);
  });
});
