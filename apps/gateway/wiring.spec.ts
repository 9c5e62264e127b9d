import { describe, expect, it } from '@jest/globals';
import { Wiring } from './wiring.js';

class House extends Wiring<{ colour: string }> {
  constructor(given: Partial<House> = {}) {
    super({ colour: 'red' }, given);
    this.check();
  }

  readonly plain = 1;
  readonly door = this.part('door', () => `a ${this.deps.colour} door`);
  readonly front = this.part('front', () => `a house with ${this.door}`);
}

class Wrong extends Wiring<null> {
  constructor() {
    super(null, {});
    this.check();
  }

  readonly door = this.part('front', () => 'a door');
  readonly front = this.part('door', () => 'a front');
}

describe('a wiring', () => {
  it('builds each member from the ones before it', () => {
    expect(new House().front).toBe('a house with a red door');
  });

  it('uses a given member instead, also for those after it', () => {
    expect(new House({ door: 'no door' }).front).toBe('a house with no door');
  });

  it('refuses a given member that it would not use', () => {
    expect(() => new House({ plain: 1 })).toThrow('not a part that can be given: plain');
  });

  it('refuses a part under the name of another member', () => {
    expect(() => new Wrong()).toThrow('not a part that can be given: front, door');
  });
});
