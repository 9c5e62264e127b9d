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
  type ToolDescription,
} from '#tools';
import { loadToolFiles } from '#toolsets';
import { describeChecked } from './describe-checked.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const HAS_ERRORS = 1;

interface OwnTool {
  name: string;
  toolset: string;
  definition: ToolDescription;
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

/** `tools check`: exit code 1 when a tool cannot be offered, or breaks what is offered; 0 otherwise. */
export function addToolsCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  program
    .command('tools')
    .description('what authors of tools check')
    .command('check [folder]')
    .description('loads the files of tools in a folder (default: TOOLS_DIR, ./tools) and reviews each tool')
    .option(
      '--running',
      'also compare them with the tools that the gateway offers: what an update would break',
    )
    .option('--json', 'as JSON')
    .action(async (folder: string | undefined, { running, json }: { running?: boolean; json?: boolean }) => {
      const where = folder ?? (terminal.environment.TOOLS_DIR || './tools');
      const found = await check(where, running ? openApi : undefined);
      terminal.write(json ? toJson(found) : found.map(describeChecked).join(''));
      if (found.some(({ level }) => level === 'error')) terminal.exitWith?.(HAS_ERRORS);
    });
}

async function check(folder: string, openApi: (() => GatewayApi) | undefined): Promise<Checked[]> {
  const tools = await load(folder);
  if (!Array.isArray(tools)) return [tools];
  if (tools.length === 0) return [{ subject: folder, level: 'warning', text: 'it has no files of tools' }];
  const offered = openApi ? await listOffered(openApi()) : undefined;
  return tools.flatMap((tool) => {
    const found = [
      ...reviewTool(tool.toolset, tool.definition),
      ...lossesOf(tool),
      ...changeOf(tool, offered),
    ];
    return found.length > 0 ? found : [{ subject: tool.name, level: 'ok' as const, text: summaryOf(tool) }];
  });
}

async function load(folder: string): Promise<OwnTool[] | Checked> {
  try {
    const toolsets = await loadToolFiles(folder, systemTime());
    return toolsets.flatMap(({ name: toolset, version, tools }) =>
      tools().map(({ definition }) => ({
        ...{ name: toBusName(toolset, definition.own_name), toolset, definition },
        version: definition.version ?? version,
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

function lossesOf({ name, definition }: OwnTool): Checked[] {
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

function changeOf({ name, definition, version }: OwnTool, offered?: Map<string, OfferedTool>): Checked[] {
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

function summaryOf({ definition, version }: OwnTool): string {
  const promises = definition.output_schema
    ? 'its results are checked'
    : 'it promises nothing of its results';
  return `${version}, ${definition.class}, ${promises}`;
}
