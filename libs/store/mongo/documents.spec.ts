import { describe, expect, it } from '@jest/globals';
import { toDocument, toRow } from './documents.js';

const artifact = { _id: 'art_1', content_type: 'text/plain; a "b"', size: 3, hash: 'abc' };

describe('MongoDB documents', () => {
  it('return the row, without undefined fields', () => {
    const document = toDocument('artifacts', { ...artifact, user_id: undefined });
    expect(Object.keys(document)).toEqual(['_id', 'content_type', 'size', 'hash']);
    expect(toRow('artifacts', document)).toEqual(artifact);
  });

  it('are refused with a field that the collection does not have', () => {
    const row = { ...artifact, toString: 'x' } as never;
    expect(() => toDocument('artifacts', row)).toThrow('artifacts has no field toString');
  });
});
