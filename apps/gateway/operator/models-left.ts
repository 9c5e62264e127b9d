import type { ListedModel, ListedProcess, ModelLoad } from '#contracts';

/** What is left of each budget: every orchestrator tells of its part. */
export function modelsLeft(processes: readonly ListedProcess[]): ListedModel[] {
  const parts = new Map<string, ModelLoad[]>();
  for (const { is_alive, load } of processes)
    for (const [name, part] of Object.entries((is_alive && load.models) || {}))
      parts.set(name, [...(parts.get(name) ?? []), part]);
  const listed = [...parts].map(([name, loads]) => ({ name, ...loads.reduce(addLoad) }));
  return listed.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function addLoad(some: ModelLoad, more: ModelLoad): ModelLoad {
  return {
    // During a rolling update, two orchestrators may have other limits.
    ...combine(Math.max, some, more, ['requests_limit', 'tokens_limit', 'streams_limit', 'paused_ms']),
    ...combine((a, b) => a + b, some, more, ['requests_left', 'tokens_left', 'streams']),
    waiting: some.waiting + more.waiting,
  };
}

function combine(
  join: (a: number, b: number) => number,
  some: ModelLoad,
  more: ModelLoad,
  fields: readonly (keyof ModelLoad)[],
): Partial<ModelLoad> {
  const entries = fields.flatMap((field) => {
    const values = [some[field], more[field]].filter((value) => value !== undefined);
    return values.length === 0 ? [] : [[field, values.reduce((a, b) => join(a, b))] as const];
  });
  return Object.fromEntries(entries);
}
