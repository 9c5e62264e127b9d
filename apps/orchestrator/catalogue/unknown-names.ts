import type { CatalogTool } from '#contracts';

/** Of the toolsets (`math`) and tools (`math.add`) that are configured, those that no worker offers. */
export function findUnknownNames(
  configured: readonly string[],
  offered: readonly Pick<CatalogTool, 'name' | 'toolset'>[],
): string[] {
  const known = new Set(offered.flatMap(({ name, toolset }) => [name, toolset]));
  return configured.filter((name) => !known.has(name));
}
