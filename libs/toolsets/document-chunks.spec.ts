import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkDocument } from './document-chunks.js';

describe('chunkDocument', () => {
  it('cuts at headings and keeps the ones above', () => {
    const text = '# Guide\nIntro.\n\n## Install\n\nRun it.\n\nTwice.\n\n### Linux\nApt.\n## Use\nClick.\n';
    expect(chunkDocument(text)).toEqual([
      { title: 'Guide', body: 'Intro.' },
      { title: 'Guide › Install', body: 'Run it.\n\nTwice.' },
      { title: 'Guide › Install › Linux', body: 'Apt.' },
      { title: 'Guide › Use', body: 'Click.' },
    ]);
  });

  it('accepts plain text, Windows line ends and skipped heading levels', () => {
    expect(chunkDocument('one\r\n\r\ntwo')).toEqual([{ title: '', body: 'one\n\ntwo' }]);
    expect(chunkDocument('### Deep\ntext')).toEqual([{ title: 'Deep', body: 'text' }]);
    expect(chunkDocument(' \n\n')).toEqual([]);
  });

  it('keeps every word of any text, in pieces of bounded length', () => {
    const paragraph = fc.lorem({ maxCount: 300 });
    fc.assert(
      fc.property(fc.array(paragraph, { maxLength: 6 }), (paragraphs) => {
        const chunks = chunkDocument(paragraphs.join('\n\n'));
        for (const { body } of chunks) expect(body.length).toBeLessThanOrEqual(802);
        const words = (text: string) => text.split(/\s+/).filter(Boolean);
        expect(words(chunks.map(({ body }) => body).join(' '))).toEqual(words(paragraphs.join(' ')));
      }),
      { numRuns: 50 },
    );
  });
});
