import { expect, it } from '@jest/globals';
import { compareVersions, isVersion, majorOf } from './versions.js';

it.each(['1.0.0', '0.12.3', '1.2.3-beta.1', '1.2.3+build.5'])('%s is a version', (version) => {
  expect(isVersion(version)).toBe(true);
});

it.each(['1', '1.2', 'v1.2.3', '1.2.3 ', '', '1.2.3-', '1.2.3.4', 1, undefined, '1.2.3\n'])(
  '%j is not a version',
  (version) => {
    expect(isVersion(version)).toBe(false);
  },
);

it('versions are ordered by their numbers, whatever servers write around them', () => {
  const sorted = ['2025-08-31', '1.10.0', 'v1.9.9', '1.9', 'none', '0.5.0'].toSorted(compareVersions);
  expect(sorted).toEqual(['none', '0.5.0', '1.9', 'v1.9.9', '1.10.0', '2025-08-31']);
  expect(sorted.map(majorOf)).toEqual([0, 0, 1, 1, 1, 2025]);
});
