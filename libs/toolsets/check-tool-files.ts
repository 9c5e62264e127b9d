import type { Checked, ToolClass } from '#contracts';
import { schemaLossesEverywhere, type SchemaLossOf } from '#llm';
import { redactText } from '#observability';
import type { Clock } from '#time';
import { compareWithOffered, reviewTool, toBusName, toModelName, ToolSetupError, type Tool } from '#tools';
import { loadToolFiles } from './load-tool-files.js';

/** The part of `GET /api/tools` that is compared. */
export interface OfferedTool {
  qualified_name: string;
  class: ToolClass;
  version?: string;
  input_schema: Record<string, unknown>;
  output_schema?: Record<string, unknown>;
}

export interface ToolFolder {
  path: string;
  /** What to do if it does not exist. */
  mend: string;
}

export interface OwnTool {
  name: string;
  toolset: string;
  tool: Tool;
  version: string;
}

/** The folder that a command names, else that of `TOOLS_DIR`, else `./tools`. */
export function toolFolderOf(named: string | undefined, toolsDir: string | undefined): ToolFolder {
  if (named !== undefined) return { path: named, mend: 'name the folder of your tools' };
  if (toolsDir) return { path: toolsDir, mend: 'correct TOOLS_DIR' };
  return { path: './tools', mend: 'name the folder of your tools, or set TOOLS_DIR' };
}

/** The tools of the files in a folder. Throws `ToolSetupError`. */
export async function listOwnTools({ path, mend }: ToolFolder, clock: Clock): Promise<OwnTool[]> {
  const toolsets = await loadToolFiles(path, { clock, folderMend: mend });
  return toolsets.flatMap(({ name: toolset, version, tools }) =>
    tools().map((tool) => ({
      ...{ name: toBusName(toolset, tool.definition.own_name), toolset, tool },
      version: tool.definition.version ?? version,
    })),
  );
}

/**
 * The checklist for authors of tools: loads the files of a folder, and reviews each tool. With `listOffered` it also
 * says what an update of the running tools would break. Notes come last.
 */
export async function checkToolFiles(
  folder: ToolFolder,
  clock: Clock,
  listOffered?: () => Promise<OfferedTool[]>,
): Promise<Checked[]> {
  const tools = await listOwnTools(folder, clock).catch(describeSetupError);
  if (!Array.isArray(tools)) return [tools];
  if (tools.length === 0)
    return [
      {
        ...{ subject: folder.path, level: 'warning', text: 'it has no files of tools' },
        mend: 'The name of such a file is <toolset>.tool.mjs.',
      },
    ];
  const offered = listOffered && new Map((await listOffered()).map((tool) => [tool.qualified_name, tool]));
  const found = tools.flatMap((own) => {
    const changes = offered ? [changeOf(own, offered.get(own.name))] : [];
    const findings = [...reviewTool(own.toolset, own.tool), ...changes];
    return findings.length > 0
      ? findings
      : [{ subject: own.name, level: 'ok' as const, text: summaryOf(own) }];
  });
  return [...found, ...tools.flatMap(lossesOf)];
}

function describeSetupError(error: unknown): Checked {
  if (!(error instanceof ToolSetupError)) throw error;
  const mend = 'docs/tools.md of Switchyard explains files of tools.';
  return { subject: 'tools', level: 'error', text: redactText(error.message), mend };
}

/** They are in the descriptions that models read, so there is nothing to do. */
function lossesOf({ name, tool: { definition } }: OwnTool): Checked[] {
  const { description, input_schema } = definition;
  const losses = schemaLossesEverywhere({ name: toModelName(name), description, input_schema });
  if (losses.length === 0) return [];
  return [
    {
      ...{ subject: name, level: 'note' },
      text: `some providers do not hold their models to these rules: ${losses.map(describeLoss).join(', ')}`,
      mend: 'Models read them as text, and the worker refuses a call that breaks one: nothing to do.',
    },
  ];
}

function describeLoss({ path, keyword, providers }: SchemaLossOf): string {
  const place = path.split('/').filter((part) => part !== '' && part !== 'properties');
  const of = place.length === 0 ? '' : ` of ${place.join('.')}`;
  return `${keyword}${of} (${providers.join(', ')})`;
}

function changeOf(
  { name, tool: { definition }, version }: OwnTool,
  before: OfferedTool | undefined,
): Checked {
  if (!before) return { subject: name, level: 'ok', text: 'no worker offers it yet' };
  const offered = { ...before, version: before.version ?? '1.0.0' };
  const change = compareWithOffered(name, offered, { ...definition, version });
  const text = `as the running ${version}: an update needs no care`;
  return change ?? { subject: name, level: 'ok', text };
}

function summaryOf({ tool: { definition }, version }: OwnTool): string {
  const promises = definition.output_schema
    ? 'its results are checked'
    : 'it promises nothing of its results';
  return `${version}, ${definition.class}, ${promises}`;
}
