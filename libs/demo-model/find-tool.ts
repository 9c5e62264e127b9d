import type { ModelTool } from '#llm';

export type FoundTool = { tool: ModelTool } | { tool: undefined; candidates: string[] };

/** A built-in tool by its toolset and bare name; another toolset's tool of that name also serves. */
export function findBuiltIn(tools: ModelTool[], toolset: string, ownName: string): ModelTool | undefined {
  return (
    tools.find((tool) => tool.name === `${toolset}__${ownName}`) ??
    tools.find((tool) => ownPart(tool.name) === ownName)
  );
}

/** The tool of this toolset and no other: a foreign `now` or `fetch` may mean something else. */
export function findExactly(tools: ModelTool[], toolset: string, ownName: string): ModelTool | undefined {
  return tools.find((tool) => tool.name === `${toolset}__${ownName}`);
}

/** A tool by a name as a person writes it: `math__add`, `math.add`, `mcp:everything:echo`, `get weather`. */
export function findTool(tools: ModelTool[], wanted: string): FoundTool {
  const key = toKey(wanted);
  const keyWithoutSource = key.replace(/^mcp/, '');
  const tests: ((tool: ModelTool) => boolean)[] = [
    (tool) => tool.name === wanted,
    (tool) => toKey(tool.name) === key || toKey(tool.name) === keyWithoutSource,
    (tool) => toKey(ownPart(tool.name)) === key,
    (tool) => key.length > 2 && toKey(tool.name).includes(key),
  ];
  for (const test of tests) {
    const matches = tools.filter(test);
    if (matches.length === 1) return { tool: matches[0]! };
    if (matches.length > 1) return { tool: undefined, candidates: matches.map((tool) => tool.name) };
  }
  return { tool: undefined, candidates: [] };
}

/** The names of a tool's parameters, in the order of its schema. */
export function parameterNames(tool: ModelTool): string[] {
  const { properties } = tool.input_schema;
  return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
}

function ownPart(name: string): string {
  return name.split('__').at(-1)!;
}

function toKey(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
