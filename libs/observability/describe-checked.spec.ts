import { expect, it } from '@jest/globals';
import { describeChecked } from './describe-checked.js';

it('describeChecked writes one safe line of sentences, and leaves paths alone', () => {
  const found = {
    subject: 'tools',
    level: 'error' as const,
    text: '../tools\u001b is no folder.',
    mend: 'Correct it.',
  };
  expect(describeChecked(found)).toBe('ERROR    tools: ../tools\uFFFD is no folder. Correct it.\n');
  expect(describeChecked({ subject: 'a', level: 'ok', text: 'one\ntwo' })).toBe('OK       a: one two.\n');
});
