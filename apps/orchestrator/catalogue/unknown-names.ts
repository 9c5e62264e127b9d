import type { CatalogTool } from '#contracts';

/** Of names that nobody offers, those of tools whose toolset is there: more than a server that is slow to start. */
export function withoutAbsentToolsets(
  names: readonly string[],
  offered: readonly Pick<CatalogTool, 'toolset'>[],
): string[] {
  const present = new Set(offered.map(({ toolset }) => toolset));
  return names.filter((name) => present.has(name.split('.')[0]!));
}

/** Of the toolsets (`math`) and tools (`math.add`) that are configured, those that no worker offers. */
export function findUnknownNames(
  configured: readonly string[],
  offered: readonly Pick<CatalogTool, 'name' | 'toolset'>[],
): string[] {
  const known = new Set(offered.flatMap(({ name, toolset }) => [name, toolset]));
  return configured.filter((name) => !known.has(name));
}
