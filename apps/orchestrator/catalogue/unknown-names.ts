import type { CatalogTool } from '#contracts';

/** The names that no worker offers although their toolset is present. A missing toolset may only be slow to start. */
export function withoutAbsentToolsets(
  names: readonly string[],
  offered: readonly Pick<CatalogTool, 'toolset'>[],
): string[] {
  const present = new Set(offered.map(({ toolset }) => toolset));
  return names.filter((name) => present.has(name.split('.')[0]!));
}

/** The configured toolsets (`math`) and tools (`math.add`) that no worker offers. */
export function findUnknownNames(
  configured: readonly string[],
  offered: readonly Pick<CatalogTool, 'name' | 'toolset'>[],
): string[] {
  const known = new Set(offered.flatMap(({ name, toolset }) => [name, toolset]));
  return configured.filter((name) => !known.has(name));
}
