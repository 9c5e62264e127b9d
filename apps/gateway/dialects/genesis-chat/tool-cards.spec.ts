import { describe, expect, it } from '@jest/globals';
import { aCall, aStep } from './testing/sample-turn.js';
import { ToolCards } from './tool-cards.js';

const [a, b, c] = [aCall('A'), aCall('B'), aCall('C')];

/** `+A` opened, `-A` closed. */
function changesOf(cards: ToolCards): string[] {
  return cards.take().map(({ type, call }) => (type === 'start' ? '+' : '-') + call.tool_call_id[5]);
}

describe('tool cards', () => {
  it('open one at a time, and hold the events of the others', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b]));
    cards.change(a, 'running');
    cards.change(b, 'running');
    expect(changesOf(cards)).toEqual(['+A']);
    cards.change(b, 'ended');
    expect(changesOf(cards)).toEqual([]);
    cards.change(a, 'ended');
    expect(changesOf(cards)).toEqual(['-A', '+B', '-B']);
    expect(changesOf(cards)).toEqual([]);
  });

  it('appear in the order of the calls, whichever starts or ends first', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b, c]));
    cards.change(b, 'running');
    expect(changesOf(cards)).toEqual([]);
    cards.change(c, 'ended');
    cards.change(a, 'running');
    expect(changesOf(cards)).toEqual(['+A']);
    cards.change(b, 'ended');
    cards.change(a, 'ended');
    expect(changesOf(cards)).toEqual(['-A', '+B', '-B', '+C', '-C']);
  });

  it('open for a call that waits for approval only when no other call of its step is running', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b]));
    cards.change(a, 'asking');
    expect(changesOf(cards)).toEqual([]);
    cards.change(b, 'running');
    expect(changesOf(cards)).toEqual(['+B']);
    cards.change(b, 'ended');
    expect(changesOf(cards)).toEqual(['-B', '+A']);
    cards.change(a, 'running');
    expect(changesOf(cards)).toEqual([]);
    cards.change(a, 'ended');
    expect(changesOf(cards)).toEqual(['-A']);
  });

  it('open and close for a call that ended without having run', () => {
    const cards = new ToolCards();
    cards.change(a, 'ended');
    expect(cards.take()).toEqual([
      { type: 'start', call: a },
      { type: 'end', call: a },
    ]);
  });

  it('leave out ended calls that were already shown elsewhere', () => {
    const cards = new ToolCards();
    cards.change(a, 'ended');
    cards.change(b, 'running');
    cards.forgetEnded();
    expect(changesOf(cards)).toEqual(['+B']);
  });
});
