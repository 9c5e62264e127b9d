import { afterAll, describe, expect, it } from '@jest/globals';
import { removeFolders } from '../e2e/standalone-process.js';
import { describeGoal, isMachineFree, meetsGoal } from './attack.js';
import { ATTACKS } from './attacks.js';

afterAll(removeFolders);

describe('an attack on the built program', () => {
  it.each(ATTACKS.map((attack) => [attack.says, attack] as const))('%s', async (_says, attack) => {
    const findings = (await attack.run({ isShort: true })).filter(isMachineFree);
    expect(findings).not.toEqual([]);
    const missed = findings.filter((finding) => !meetsGoal(finding));
    expect(
      missed.map((finding) => `${finding.what}: ${finding.figure}, not ${describeGoal(finding)}`),
    ).toEqual([]);
  });
});
