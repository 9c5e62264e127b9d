import type { CatalogTool, TurnOptions } from '#contracts';

/** What the tool takes of the turn's files, as its own argument; the model knows nothing of them. */
export function withDataFiles(
  tool: CatalogTool,
  args: Record<string, unknown> | undefined,
  { data_files = [] }: TurnOptions,
): Record<string, unknown> | undefined {
  const { properties } = tool.input_schema;
  const takesFiles = typeof properties === 'object' && properties !== null && 'dataFiles' in properties;
  if (!args || !takesFiles || data_files.length === 0) return args;
  return { ...args, dataFiles: Object.fromEntries(data_files.map(({ name, file }) => [name, file])) };
}
