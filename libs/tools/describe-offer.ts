import { toolClassSchema, type Toolset, type ToolsetOffer } from '#contracts';

const MAX_DRIFT = 20;

/** One toolset as its living workers announce it, in names only. Undefined without a worker. */
export function describeOffer(announced: readonly Toolset[]): ToolsetOffer | undefined {
  const [first] = announced;
  if (!first) return undefined;
  const tools = announced.flatMap((toolset) => toolset.tools);
  const used = new Set(tools.map((tool) => tool.class));
  return {
    source: first.source,
    classes: toolClassSchema.options.filter((toolClass) => used.has(toolClass)),
    drift: driftOf(announced).slice(0, MAX_DRIFT),
  };
}

function driftOf(announced: readonly Toolset[]): string[] {
  const hashes = new Map<string, string[]>();
  for (const { tools } of announced)
    for (const { name, hash } of tools) hashes.set(name, [...(hashes.get(name) ?? []), hash]);
  const isShared = (all: string[]) => all.length === announced.length && new Set(all).size === 1;
  return [...hashes].flatMap(([name, all]) => (isShared(all) ? [] : [name])).sort();
}
