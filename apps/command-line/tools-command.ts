import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Checked, ToolClass } from '#contracts';
import { describeSchemaLosses, PROVIDERS } from '#llm';
import { redactText } from '#observability';
import { systemTime } from '#time';
import {
  compareWithOffered,
  reviewTool,
  toBusName,
  toModelName,
  ToolSetupError,
  toolPage,
  type Tool,
} from '#tools';
import { loadToolFiles } from '#toolsets';
import { CommandError } from './command-error.js';
import { describeChecked } from './describe-checked.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { toTerminalSafe } from './terminal-safe.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const HAS_ERRORS = 1;

interface OwnTool {
  name: string;
  toolset: string;
  tool: Tool;
  version: string;
}

/** The part of `GET /api/tools` that is compared. */
interface OfferedTool {
  qualified_name: string;
  class: ToolClass;
  version?: string;
  input_schema: Record<string, unknown>;
  output_schema?: Record<string, unknown>;
}

/** `tools check`: exit code 1 when a tool cannot be offered, or breaks what is offered. `tools pages`. */
export function addToolsCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  const tools = program.command('tools').description('for authors of tools');
  const folderOf = (folder: string | undefined) => folder ?? (terminal.environment.TOOLS_DIR || './tools');
  tools
    .command('check [folder]')
    .description('loads the files of tools in a folder (default: TOOLS_DIR, ./tools) and reviews each tool')
    .option(
      '--running',
      'also compare them with the tools that the gateway offers: what an update would break',
    )
    .option('--json', 'as JSON')
    .action(async (folder: string | undefined, { running, json }: { running?: boolean; json?: boolean }) => {
      const found = await check(folderOf(folder), running ? openApi : undefined);
      terminal.write(json ? toJson(found) : found.map(describeChecked).join(''));
      if (found.some(({ level }) => level === 'error')) terminal.exitWith?.(HAS_ERRORS);
    });
  tools
    .command('pages [folder]')
    .description('writes a page for each tool of a folder, as Markdown, for the people who use it')
    .requiredOption('--out <folder>', 'where to write <toolset>.<tool>.md')
    .option('--json', 'as JSON')
    .action(async (folder: string | undefined, { out, json }: { out: string; json?: boolean }) => {
      const paths = await writePages(folderOf(folder), out);
      terminal.write(json ? toJson(paths) : paths.map((path) => `${toTerminalSafe(path)}\n`).join(''));
    });
}

async function writePages(folder: string, out: string): Promise<string[]> {
  const loaded = await load(folder);
  if (!Array.isArray(loaded)) throw new CommandError(loaded.text);
  await mkdir(out, { recursive: true });
  const writing = loaded.map(async ({ name, toolset, version, tool }) => {
    const path = join(out, `${name}.md`);
    await writeFile(path, toolPage(toolset, version, tool));
    return path;
  });
  return Promise.all(writing);
}

async function check(folder: string, openApi: (() => GatewayApi) | undefined): Promise<Checked[]> {
  const loaded = await load(folder);
  if (!Array.isArray(loaded)) return [loaded];
  if (loaded.length === 0) return [{ subject: folder, level: 'warning', text: 'it has no files of tools' }];
  const offered = openApi ? await listOffered(openApi()) : undefined;
  return loaded.flatMap((own) => {
    const found = [...reviewTool(own.toolset, own.tool), ...lossesOf(own), ...changeOf(own, offered)];
    return found.length > 0 ? found : [{ subject: own.name, level: 'ok' as const, text: summaryOf(own) }];
  });
}

async function load(folder: string): Promise<OwnTool[] | Checked> {
  try {
    const toolsets = await loadToolFiles(folder, systemTime());
    return toolsets.flatMap(({ name: toolset, version, tools }) =>
      tools().map((tool) => ({
        ...{ name: toBusName(toolset, tool.definition.own_name), toolset, tool },
        version: tool.definition.version ?? version,
      })),
    );
  } catch (error) {
    if (!(error instanceof ToolSetupError)) throw error;
    const text = redactText(error.message);
    return { subject: 'tools', level: 'error', text, mend: 'docs/tools.md explains files of tools.' };
  }
}

async function listOffered(api: GatewayApi): Promise<Map<string, OfferedTool>> {
  const { tools } = await api.get<{ tools: OfferedTool[] }>('/api/tools');
  return new Map(tools.map((tool) => [tool.qualified_name, tool]));
}

function lossesOf({ name, tool: { definition } }: OwnTool): Checked[] {
  const { description, input_schema } = definition;
  const asked = { name: toModelName(name), description, input_schema };
  return PROVIDERS.flatMap(({ name: provider }): Checked[] => {
    const losses = describeSchemaLosses(asked, provider);
    if (losses.length === 0) return [];
    const places = losses.map(({ path, keyword }) => `${keyword} at ${path || '/'}`).join(', ');
    const text = `models of ${provider} read, but need not keep: ${places}`;
    return [{ subject: name, level: 'warning', text }];
  });
}

function changeOf(
  { name, tool: { definition }, version }: OwnTool,
  offered?: Map<string, OfferedTool>,
): Checked[] {
  if (!offered) return [];
  const before = offered.get(name);
  if (!before) return [{ subject: name, level: 'ok', text: 'no worker offers it yet' }];
  const change = compareWithOffered(
    name,
    { ...before, version: before.version ?? '1.0.0' },
    { ...definition, version },
  );
  return change ? [change] : [];
}

function summaryOf({ tool: { definition }, version }: OwnTool): string {
  const promises = definition.output_schema
    ? 'its results are checked'
    : 'it promises nothing of its results';
  return `${version}, ${definition.class}, ${promises}`;
}
