import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';

interface Locked {
  version?: string;
  integrity?: string;
  resolved?: string;
  dev?: boolean;
  hasInstallScript?: boolean;
  optionalDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Locked>;
};
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');

describe('package-lock.json', () => {
  // A version whose binaries the registry does not offer for every platform has no hash: choose one that it does.
  test('has the hash of every package, also of those for other platforms', () => {
    expect(packages.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([]);
  });

  test('lists the binaries of every platform, so that npm ci takes it everywhere', () => {
    const isListed = (name: string) => packages.some(([path]) => path.endsWith(`node_modules/${name}`));
    const optional = packages.flatMap(([, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies),
    );
    expect(optional.filter((name) => !isListed(name))).toEqual([]);
  });

  test('names no registry', () => {
    expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('has no install script in what is deployed', () => {
    const deployed = packages.filter(([, { dev }]) => !dev);
    expect(deployed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([]);
  });
});

describe('npm run sbom', () => {
  test('lists what is deployed, and nothing else', () => {
    const { stdout } = spawnSync('npm', ['run', '--silent', 'sbom'], { cwd: root, encoding: 'utf8' });
    const { bomFormat, components } = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string; version: string }[];
    };
    expect(bomFormat).toBe('CycloneDX');
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const listed = new Map(components.map(({ name, version }) => [name, version]));
    for (const [name, version] of Object.entries(dependencies))
      expect([name, listed.get(name)]).toEqual([name, version]);
    const deployed = packages.filter(([, { dev }]) => !dev);
    const identities = deployed.map(
      ([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`,
    );
    expect(components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(
      [...new Set(identities)].sort(),
    );
    expect(listed.has('jest')).toBe(false);
  });
});
