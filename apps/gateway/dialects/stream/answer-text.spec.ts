import { describe, expect, it } from '@jest/globals';
import type { TurnView } from '#contracts';
import { AnswerText, answerOf } from './answer-text.js';
import type { TurnNews } from './turn-stream.js';

const text = (step: number, words: string): TurnNews => ({ type: 'text', step, text: words });
const RESTART: TurnNews = { type: 'step_restarted', step: 1 };

function send(...news: TurnNews[]): string[] {
  const answer = new AnswerText();
  return news.map((item) => answer.next(item)).filter((sent) => sent !== '');
}

describe('AnswerText', () => {
  it('sends the text of steps as it arrives, with a blank line between steps, and nothing else', () => {
    const thinking = { conversation_id: 'c', turn_id: 't', timestamp: '', step: 2, attempt: 1, offset: 0 };
    expect(
      send(
        { type: 'turn_started' },
        text(1, 'Let me '),
        text(1, 'see.'),
        { type: 'thinking', ...thinking, content: 'Hm.' },
        { type: 'step_started', step: 2 },
        text(3, 'It is '),
        text(3, '3.'),
      ),
    ).toEqual(['Let me ', 'see.', '\n\nIt is ', '3.']);
  });

  it('continues where it was when a restarted step repeats its text', () => {
    expect(send(text(1, 'It is'), RESTART, text(1, 'It '), text(1, 'is 3'), text(1, '.'))).toEqual([
      'It is',
      ' 3',
      '.',
    ]);
    expect(send(text(1, 'It is'), RESTART, text(1, 'It is'), text(1, ' so'))).toEqual(['It is', ' so']);
  });

  it('repeats the whole text when a restarted step differs', () => {
    expect(send(text(1, 'It is'), RESTART, text(1, 'It'), text(1, ' was'), text(1, ' 3'))).toEqual([
      'It is',
      '\n\nIt was',
      ' 3',
    ]);
  });

  it('handles a restart during a restart, and a restart of a step without text', () => {
    expect(send(text(1, 'Abc'), RESTART, text(1, 'A'), RESTART, text(1, 'Abcd'))).toEqual(['Abc', 'd']);
    expect(send(RESTART, text(1, 'Abc'))).toEqual(['Abc']);
    expect(send(text(1, 'Abc'), RESTART, text(2, 'Abc'))).toEqual(['Abc', '\n\nAbc']);
  });
});

describe('answerOf', () => {
  it('equals what was sent, without abandoned beginnings', () => {
    const steps = ['Let me see.', '', 'It is 3.'].map((words, i) => ({
      n: i + 1,
      attempt: 100,
      text: words,
      calls: [],
    }));
    expect(answerOf({ steps } as Partial<TurnView> as TurnView)).toBe('Let me see.\n\nIt is 3.');
  });
});
