import { describe, expect, it } from '@jest/globals';
import { readDocument } from './documents.js';
import { metricsDocument } from './metrics-document.js';

describe('docs/metrics.md', () => {
  it('is what `npm run metrics` writes', async () => {
    expect(readDocument('docs/metrics.md')).toBe(await metricsDocument());
  });
});
