import { describe, expect, it } from '@jest/globals';
import type { ListedSwitch } from '#contracts';
import { findSwitch, setLabel, switchedSentence, undoLabel } from './switch-words.js';

const row = (kind: ListedSwitch['kind'], name: string): ListedSwitch => ({
  kind,
  name,
  by: 'olga',
  at: '2026-03-01T10:00:00.000Z',
});
const worker = 'worker-7c1de2a4-51f0-4000-8000-000000000001';

describe('switches in words', () => {
  it('names each one that is set, and nothing while none is', () => {
    expect(switchedSentence([])).toBeUndefined();
    expect(
      switchedSentence([
        row('turns', 'all'),
        row('toolset', 'web'),
        row('tool', 'web.read'),
        row('process', worker),
      ]),
    ).toBe(
      'Switched by operators: new turns are refused; web is paused; web.read is blocked; worker-7c1de2a4 drains.',
    );
  });

  it('labels a button by what it does next', () => {
    expect(setLabel(row('process', worker))).toBe('Drain worker-7c1de2a4');
    expect(setLabel(row('tool', ''))).toBe('Block a tool');
    expect(undoLabel(row('toolset', 'web'))).toBe('Resume web');
  });

  it('are found by kind and name', () => {
    const [toolset, tool] = [row('toolset', 'web'), row('tool', 'web')];
    expect(findSwitch([toolset, tool], 'tool', 'web')).toBe(tool);
    expect(findSwitch([toolset], 'toolset', 'mail')).toBeUndefined();
  });
});
