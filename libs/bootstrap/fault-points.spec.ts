import { describe, expect, it } from '@jest/globals';
import { createFaultPoint, faultPoint, parseFault, type Fault } from './fault-points.js';

describe('faultPoint', () => {
  it('does nothing unless the environment arms it', () => {
    expect(faultPoint('after_commit')).toBeUndefined();
  });

  it('strikes once, and only where it is armed', async () => {
    const struck: Fault[] = [];
    const point = createFaultPoint(parseFault('after_commit:kill'), async (fault) => void struck.push(fault));
    await point('before_commit');
    await point('after_commit');
    await point('after_commit');
    expect(struck).toEqual([{ name: 'after_commit', kind: 'kill' }]);
  });
});

describe('parseFault', () => {
  it('reads the three kinds', () => {
    expect(parseFault('a.b:freeze')).toEqual({ name: 'a.b', kind: 'freeze' });
    expect(parseFault('a:delay:250')).toEqual({ name: 'a', kind: 'delay', delayMs: 250 });
    expect(parseFault('')).toBeUndefined();
  });

  it.each(['a', 'a:burn', 'a:delay', 'a:kill:5', ':kill'])('refuses %s', (text) => {
    expect(() => parseFault(text)).toThrow('SWITCHYARD_FAULT must be');
  });
});
