import { describe, expect, it } from '@jest/globals';
import { judge } from './judge.js';

const expected = { 'auth/': 'no OAuth', elicitation: 'nobody to ask' };

describe('a conformance scenario', () => {
  it('is unexpected when it fails without being listed, or passes although listed', () => {
    expect(judge('tools_call', true, expected).isSurprise).toBe(false);
    expect(judge('tools_call', false, expected).isSurprise).toBe(true);
    expect(judge('elicitation', false, expected)).toEqual({
      isSurprise: false,
      text: 'fails as expected: nobody to ask',
    });
    expect(judge('elicitation', true, expected).isSurprise).toBe(true);
    expect(judge('elicitation-defaults', false, expected).isSurprise).toBe(true);
  });

  it('of a family that is expected to fail may do either', () => {
    expect(judge('auth/basic', false, expected).isSurprise).toBe(false);
    expect(judge('auth/basic', true, expected).isSurprise).toBe(false);
  });
});
