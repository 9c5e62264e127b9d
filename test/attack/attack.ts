/** One figure of an attack, and what it must be. */
export interface Finding {
  /** For people: "refused of 300 half-sent requests" without the number. */
  what: string;
  figure: number;
  unit: 'count' | 'bytes' | 'MiB' | 'ms' | 'ratio';
  goal: { atMost: number } | { atLeast: number };
}

export interface Attack {
  /** A word for the command line. */
  name: string;
  /** What a hostile client does, as a sentence. */
  says: string;
  /**
   * Runs against the built program, from outside only. With `isShort` it takes a few seconds; of its findings only
   * those that do not depend on the machine (`isMachineFree`) are then held against their goals.
   */
  run(options: { isShort: boolean }): Promise<Finding[]>;
}

/** Counts and bytes hold on every machine; memory, silence and ratios of times depend on what else it does. */
export function isMachineFree({ unit }: Finding): boolean {
  return unit === 'count' || unit === 'bytes';
}

export function meetsGoal({ figure, goal }: Finding): boolean {
  return 'atMost' in goal ? figure <= goal.atMost : figure >= goal.atLeast;
}

export function describeGoal({ goal }: Finding): string {
  return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}
