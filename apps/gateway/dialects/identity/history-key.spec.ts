import { describe, expect, it } from '@jest/globals';
import { foldHistory, type SaidMessage } from '../../turns/fold-history.js';
import { HistoryKey, digestHistory } from './history-key.js';

const said = (...lines: string[]) =>
  lines.map((line): SaidMessage => ({ role: line[0] === 'u' ? 'user' : 'assistant', text: line.slice(1) }));
const keyOf = (...lines: string[]) => new HistoryKey(digestHistory(foldHistory(said(...lines))));

describe('HistoryKey', () => {
  it('of a message and its answer equals that of the history with both', () => {
    const next = keyOf('uA', 'a1', 'uB', 'a2').value;
    expect(next).toEqual(expect.any(String));
    expect(keyOf('uA', 'a1').after('B', '2')).toBe(next);
    expect(keyOf().after('A', '1')).toBe(keyOf('uA', 'a1').value);
    expect(keyOf('aWelcome!').after('A', '1')).toBe(keyOf('aWelcome!', 'uA', 'a1').value);
  });

  it('joins an unanswered message with the next one, as the history does', () => {
    expect(keyOf('uA', 'a1', 'uB').after('C', '2')).toBe(keyOf('uA', 'a1', 'uB', 'uC', 'a2').value);
  });

  it('is undefined for a history that is empty, ends without an answer, or ends with a blank one', () => {
    expect([keyOf().value, keyOf('uA').value, keyOf('uA', 'a1', 'uB').value]).toEqual(
      Array(3).fill(undefined),
    );
    expect(keyOf('uA', 'a1').after('B', ' \n')).toBeUndefined();
  });

  it('differs for other texts, another order and other message boundaries', () => {
    const others = [
      ['uA', 'a2'],
      ['u1', 'aA'],
      ['uA1', 'a'],
      ['uA', 'a1', 'uA', 'a1'],
      ['uA ', ' a1'],
    ];
    const keys = others.map((lines) => keyOf(...lines).value);
    expect(keys).not.toContain(keyOf('uA', 'a1').value);
    expect(new Set(keys.filter(Boolean)).size).toBe(keys.filter(Boolean).length);
  });

  it('ignores whitespace around a text', () => {
    expect(keyOf('u A', 'a1\n').value).toBe(keyOf('uA', 'a1').value);
  });
});
