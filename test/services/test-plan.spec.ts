import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Plan {
  jestArguments: string[];
  needsBuild: boolean;
}
const root = fileURLToPath(new URL('../..', import.meta.url));
const scripts = new URL('../../scripts/test-plan.mjs', import.meta.url).href;
const { planTests } = (await import(scripts)) as { planTests(words: string[], from?: string): Plan };

describe('npm test with paths', () => {
  it('takes a spec by its path, not as a regular expression', () => {
    expect(planTests(['libs/time/within.spec.ts'])).toEqual({
      jestArguments: ['--runTestsByPath', 'libs/time/within.spec.ts'],
      needsBuild: false,
    });
  });

  it('takes a folder, from where the user is', () => {
    const { jestArguments } = planTests(['time', '-t', 'waits for'], join(root, 'libs'));
    expect(jestArguments).toContain('libs/time/within.spec.ts');
    expect(jestArguments.slice(-2)).toEqual(['-t', 'waits for']);
    expect(jestArguments.slice(1, -2).every((path) => /^libs\/time\/.*\.spec\.ts$/.test(path))).toBe(true);
  });

  it.each([
    ['libs/nothing', /libs\/nothing: no such file or folder/],
    ['libs/t.*', /no such file or folder/],
    ['libs/time/within.ts', /must end in \.spec\.ts/],
    ['docs', /no specs in this folder/],
  ])('refuses %s', (path, complaint) => {
    expect(() => planTests([path])).toThrow(complaint);
  });

  it('runs what takes minutes only when it is asked for, by path or by project', () => {
    const all = planTests(['test']).jestArguments;
    expect(all).toContain('test/e2e/standalone.spec.ts');
    expect(all.filter((path) => /^test\/(faults|outages)\//.test(path))).toEqual([]);
    expect(planTests(['test/faults/embedded.spec.ts']).jestArguments).toEqual([
      ...['--runTestsByPath', 'test/faults/embedded.spec.ts'],
      ...['--selectProjects', 'unit', 'services', 'faults'],
    ]);
    const named = ['--selectProjects', 'outages', '--maxWorkers=2'];
    expect(planTests([...named, 'test/outages/store.spec.ts']).jestArguments).toEqual([
      ...['--runTestsByPath', 'test/outages/store.spec.ts'],
      ...named,
    ]);
  });
});

describe('npm test builds', () => {
  it.each([
    [[], true],
    [['-t', 'test/model'], true],
    [['--selectProjects', 'faults', '--maxWorkers=2'], true],
    [['--selectProjects', 'unit', '--maxWorkers=2'], false],
    [['libs', 'apps'], false],
    [['test/integration'], false],
    [['test/e2e/standalone.spec.ts'], true],
    [['libs/time', 'test/e2e/dead-letters.spec.ts'], true],
  ])('%j: %j', (words, needsBuild) => {
    expect(planTests(words).needsBuild).toBe(needsBuild);
  });

  it('for each spec that starts a program, since nothing but built.ts knows where programs are', () => {
    const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
    const knowing = files
      .filter((file) => file.endsWith('.ts') && !file.startsWith('services/'))
      .filter((file) => /dist\/bin|'dist'/.test(readFileSync(join(root, 'test', file), 'utf8')));
    expect(knowing).toEqual(['containers/runtime-layout.spec.ts']);
  });
});
