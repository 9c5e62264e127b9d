import fc from 'fast-check';
import { Simulation } from './simulation.js';
import { Tape } from './tape.js';

/** Choices for one walk through a {@link Simulation}, or for one way of delivering its events. */
export const choices = (maxLength: number) =>
  fc.array(fc.nat({ max: 719_719 }), { minLength: Math.floor(maxLength / 4), maxLength, size: 'max' });

/** A conversation that was driven by these choices and then settled. */
export function simulate(walk: number[]): Simulation {
  const simulation = new Simulation(new Tape(walk));
  simulation.wander();
  simulation.settleDown();
  return simulation;
}
