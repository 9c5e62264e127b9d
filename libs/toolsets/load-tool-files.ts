import { readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LateError, within, type Clock } from '#time';
import {
  defineToolset,
  findDefinitionProblem,
  InputSchemas,
  type Tool,
  type ToolsetHost,
  ToolSetupError,
} from '#tools';

const TOOL_FILE = /^(.+)\.tool\.(js|mjs|ts)$/;
const VERSION = '1.0.0';
/** The limit for importing a file that waits for something; the worker cannot start before. */
const LOAD_MS = 15_000;

interface Loading {
  clock: Pick<Clock, 'after'>;
  load?: (url: string) => Promise<unknown>;
  runsTypeScript?: boolean;
  /** What to do if the folder does not exist. */
  folderMend?: string;
}

/**
 * The toolsets of a folder: each file `<toolset>.tool.mjs` (or `.js`; `.ts` where Node runs TypeScript) has a tool, or
 * a list of them, as its default export. Throws `ToolSetupError` with the path of the file for any problem.
 */
export async function loadToolFiles(
  folder: string,
  {
    clock,
    load = (url) => import(url),
    runsTypeScript = nodeRunsTypeScript(),
    folderMend = 'correct TOOLS_DIR',
  }: Loading,
): Promise<ToolsetHost[]> {
  const files = listToolFiles(folder, folderMend);
  const typescript = files.find((path) => path.endsWith('.ts'));
  if (typescript !== undefined && !runsTypeScript)
    throw new ToolSetupError(
      `${typescript}: this Node does not run TypeScript. Compile it to .tool.mjs, or use Node 22.18 or newer.`,
    );
  const schemas = new InputSchemas();
  const toolsets: ToolsetHost[] = [];
  const pathOf = new Map<string, string>();
  for (const path of files) {
    const inTime = (url: string) => within(clock, load(url), LOAD_MS).catch(explainLate);
    const toolset = await loadToolFile(path, inTime, schemas);
    const other = pathOf.get(toolset.name);
    if (other !== undefined)
      throw new ToolSetupError(`${other} and ${path} both make the toolset ${toolset.name}: rename one.`);
    pathOf.set(toolset.name, path);
    toolsets.push(toolset);
  }
  return toolsets;
}

function listToolFiles(folder: string, mend: string): string[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new ToolSetupError(`${folder} is not a folder: ${mend}.`);
  const names = readdirSync(folder).filter((name) => TOOL_FILE.test(name));
  return names.sort().map((name) => resolve(join(folder, name)));
}

async function loadToolFile(
  path: string,
  load: (url: string) => Promise<unknown>,
  schemas: InputSchemas,
): Promise<ToolsetHost> {
  const [, name = ''] = TOOL_FILE.exec(path.split(/[/\\]/).at(-1)!) ?? [];
  const fail = (problem: string, cause?: unknown) => new ToolSetupError(`${path}: ${problem}`, { cause });
  try {
    const { default: exported } = (await load(pathToFileURL(path).href)) as { default?: unknown };
    const tools = Array.isArray(exported) ? (exported as unknown[]) : [exported];
    if (tools.length === 0 || !tools.every(isTool))
      throw fail('its default export must be a tool made by defineTool, or a list of tools.');
    for (const { definition } of tools) {
      const { own_name: name, timeout_ms: timeoutMs, version } = definition;
      const wrong = findDefinitionProblem({ ...definition, name, timeoutMs, version });
      if (wrong) throw fail(`the tool ${JSON.stringify(name)}: ${wrong}.`);
      const problem = schemas.findProblem(definition.input_schema);
      if (problem) throw fail(`the tool ${definition.own_name} cannot be called. ${problem}`);
      const { output_schema } = definition;
      if (output_schema !== undefined && schemas.findProblem(output_schema) !== undefined)
        throw fail(`the tool ${definition.own_name}: its output schema cannot be used.`);
    }
    return defineToolset({ name, version: VERSION, tools });
  } catch (error) {
    if (error instanceof ToolSetupError && error.message.startsWith(path)) throw error;
    throw fail(error instanceof Error ? `${error.name}: ${error.message}` : String(error), error);
  }
}

function nodeRunsTypeScript(): boolean {
  return 'typescript' in process.features && Boolean(process.features.typescript);
}

function explainLate(error: unknown): never {
  if (!(error instanceof LateError)) throw error;
  throw new Error(`it was not loaded within ${error.timeoutMs} ms. Move slow work into the tool's run.`);
}

/** Checks the form, not the class: the file may import `defineTool` from another copy of this package. */
function isTool(value: unknown): value is Tool {
  const { definition, run } = (value ?? {}) as Partial<Tool>;
  return (
    typeof run === 'function' &&
    typeof definition?.own_name === 'string' &&
    typeof definition.description === 'string' &&
    typeof definition.input_schema === 'object' &&
    definition.input_schema !== null &&
    !Array.isArray(definition.input_schema)
  );
}
