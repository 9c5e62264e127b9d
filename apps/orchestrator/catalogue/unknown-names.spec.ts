import { describe, expect, it } from '@jest/globals';
import { findUnknownNames } from './unknown-names.js';

describe('names in the settings that no worker offers', () => {
  it('are toolsets and tools alike', () => {
    const offered = [
      { name: 'math.add', toolset: 'math' },
      { name: 'web.search', toolset: 'web' },
    ];
    expect(findUnknownNames(['math', 'math.add', 'web', 'maths', 'math.ad'], offered)).toEqual([
      'maths',
      'math.ad',
    ]);
  });
});
