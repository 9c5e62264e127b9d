import { describe, expect, it } from '@jest/globals';
import { findUnknownNames, withoutAbsentToolsets } from './unknown-names.js';

describe('names in the settings that no worker offers', () => {
  it('are those of toolsets and of tools', () => {
    const offered = [
      { name: 'math.add', toolset: 'math' },
      { name: 'web.search', toolset: 'web' },
    ];
    expect(findUnknownNames(['math', 'math.add', 'web', 'maths', 'math.ad'], offered)).toEqual([
      'maths',
      'math.ad',
    ]);
  });

  it('are not reported while their toolset is missing', () => {
    const offered = [{ toolset: 'math' }];
    expect(withoutAbsentToolsets(['math.ad', 'slow', 'slow.tool'], offered)).toEqual(['math.ad']);
  });
});
