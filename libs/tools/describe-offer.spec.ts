import { expect, it } from '@jest/globals';
import { describeOffer } from './describe-offer.js';
import { announcedTool as tool, announcedToolset as toolset } from './testing/toolsets.js';

it('a toolset without workers has no offer', () => {
  expect(describeOffer([])).toBeUndefined();
});

it('an offer names the source and each class once, however many workers and tools have it', () => {
  const one = toolset(
    'web',
    [{ ...tool('web', 'send'), class: 'once' }, tool('web', 'read')],
    '1.0.0',
    'mcp',
  );
  expect(describeOffer([one, one])).toEqual({ source: 'mcp', classes: ['read', 'once'], drift: [] });
});

it('tools that a worker lacks or defines differently are drift', () => {
  const before = toolset('web', [tool('web', 'a'), tool('web', 'b', 'old'), tool('web', 'c')]);
  const after = toolset('web', [tool('web', 'a'), tool('web', 'b', 'new')]);
  expect(describeOffer([before, after])?.drift).toEqual(['web.b', 'web.c']);
  expect(describeOffer([before])?.drift).toEqual([]);
});
