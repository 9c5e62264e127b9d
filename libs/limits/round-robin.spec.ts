import { expect, it } from '@jest/globals';
import { roundRobin } from './round-robin.js';

it('roundRobin takes one item per key in turn, in the order of each key', () => {
  const items = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'];
  expect(roundRobin(items, ([owner]) => owner!)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(roundRobin([], String)).toEqual([]);
});
