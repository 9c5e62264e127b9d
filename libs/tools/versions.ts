import type { ToolDefinition, Toolset } from '#contracts';

/** `major.minor.patch`, with what https://semver.org allows after it. */
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:[-+][0-9A-Za-z.+-]{1,32})?$/;

export function isVersion(value: unknown): value is string {
  return typeof value === 'string' && VERSION.test(value);
}

/** A tool without a version of its own has that of its toolset. */
export function versionOf(toolset: Pick<Toolset, 'version'>, tool: Pick<ToolDefinition, 'version'>): string {
  return tool.version ?? toolset.version;
}

/** Negative: `a` is older. Servers write what they like: only the first three numbers count. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let part = 0; part < 3; part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Calls made for one version may run with another one of the same major version. */
export function majorOf(version: string): number {
  return numbersOf(version)[0] ?? 0;
}

function numbersOf(version: string): number[] {
  return (version.match(/\d+/g) ?? []).slice(0, 3).map(Number);
}
