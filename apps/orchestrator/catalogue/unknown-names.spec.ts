import { describe, expect, it } from '@jest/globals';
import { findUnknownNames, withoutAbsentToolsets } from './unknown-names.js';

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

  it('are a matter of patience as long as their toolset is not there', () => {
    const offered = [{ toolset: 'math' }];
    expect(withoutAbsentToolsets(['math.ad', 'slow', 'slow.tool'], offered)).toEqual(['math.ad']);
  });
});
