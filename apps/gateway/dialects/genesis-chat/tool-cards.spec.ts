import { describe, expect, it } from '@jest/globals';
import { aCall, aStep } from './testing/sample-turn.js';
import { ToolCards } from './tool-cards.js';

const [a, b, c] = [aCall('A'), aCall('B'), aCall('C')];

/** `+A` opened, `-A` closed. */
function tell(cards: ToolCards): string[] {
  return cards.take().map(({ type, call }) => (type === 'start' ? '+' : '-') + call.tool_call_id[5]);
}

describe('tool cards', () => {
  it('opens one at a time and holds what happens to the others', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b]));
    cards.change(a, 'running');
    cards.change(b, 'running');
    expect(tell(cards)).toEqual(['+A']);
    cards.change(b, 'ended');
    expect(tell(cards)).toEqual([]);
    cards.change(a, 'ended');
    expect(tell(cards)).toEqual(['-A', '+B', '-B']);
    expect(tell(cards)).toEqual([]);
  });

  it('tells them in the order in which they were asked for, whichever starts or ends first', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b, c]));
    cards.change(b, 'running');
    expect(tell(cards)).toEqual([]);
    cards.change(c, 'ended');
    cards.change(a, 'running');
    expect(tell(cards)).toEqual(['+A']);
    cards.change(b, 'ended');
    cards.change(a, 'ended');
    expect(tell(cards)).toEqual(['-A', '+B', '-B', '+C', '-C']);
  });

  it('opens a call that waits for approval only when no other of its step is under way', () => {
    const cards = new ToolCards();
    cards.commit(aStep(1, '', [a, b]));
    cards.change(a, 'asking');
    expect(tell(cards)).toEqual([]);
    cards.change(b, 'running');
    expect(tell(cards)).toEqual(['+B']);
    cards.change(b, 'ended');
    expect(tell(cards)).toEqual(['-B', '+A']);
    cards.change(a, 'running');
    expect(tell(cards)).toEqual([]);
    cards.change(a, 'ended');
    expect(tell(cards)).toEqual(['-A']);
  });

  it('opens and closes a call that ended without having run', () => {
    const cards = new ToolCards();
    cards.change(a, 'ended');
    expect(cards.take()).toEqual([
      { type: 'start', call: a },
      { type: 'end', call: a },
    ]);
  });

  it('leaves out the ended ones that somebody else has told', () => {
    const cards = new ToolCards();
    cards.change(a, 'ended');
    cards.change(b, 'running');
    cards.forgetEnded();
    expect(tell(cards)).toEqual(['+B']);
  });
});
