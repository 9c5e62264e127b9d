import { expect, it } from '@jest/globals';
import { mergeBibliographies, readBibliography } from './bibliography.js';

it('bibliography keeps the first of several references with the same pmid, as a string or a number', () => {
  const [a, b] = [
    { pmid: '1', title: 'A' },
    { pmid: 2, title: 'B' },
  ];
  expect(
    mergeBibliographies([
      [a, b],
      [{ pmid: 1, title: 'other' }, { pmid: '2' }, { pmid: '3' }],
    ]),
  ).toEqual([a, b, { pmid: '3' }]);
});

it('bibliography compares references without a pmid by their whole content', () => {
  const entries = [
    { title: 'A', year: 1 },
    { year: 1, title: 'A' },
    { title: 'A', year: 2 },
    { pmid: '' },
    'text',
  ];
  expect(mergeBibliographies([entries, ['text']])).toEqual([entries[0], entries[2], { pmid: '' }, 'text']);
});

it('bibliography reads references from a list or from its JSON', () => {
  expect(readBibliography('[{"pmid":"1"}]')).toEqual([{ pmid: '1' }]);
  expect(readBibliography({ pmid: '1' })).toBeUndefined();
  expect(readBibliography('pmid 1')).toBeUndefined();
});
