import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describeChecked, redactText, toTerminalSafe } from '#observability';
import { systemTime } from '#time';
import { ToolSetupError, toolPage } from '#tools';
import { checkToolFiles, listOwnTools, toolFolderOf, type OfferedTool, type ToolFolder } from '#toolsets';
import { CommandError } from './command-error.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const HAS_ERRORS = 1;

/** `tools check`: exit code 1 when a tool cannot be offered, or breaks what is offered. `tools pages`. */
export function addToolsCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  const tools = program.command('tools').description('for authors of tools');
  const folderOf = (named: string | undefined) => toolFolderOf(named, terminal.environment.TOOLS_DIR);
  const listOffered = async () => (await openApi().get<{ tools: OfferedTool[] }>('/api/tools')).tools;
  tools
    .command('check [folder]')
    .description('loads the files of tools in a folder (default: TOOLS_DIR, ./tools) and reviews each tool')
    .option(
      '--running',
      'also compare them with the tools that the gateway offers: what an update would break',
    )
    .option('--json', 'as JSON')
    .action(async (folder: string | undefined, { running, json }: { running?: boolean; json?: boolean }) => {
      const { clock } = systemTime();
      const found = await checkToolFiles(folderOf(folder), clock, running ? listOffered : undefined);
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

async function writePages(folder: ToolFolder, out: string): Promise<string[]> {
  const tools = await listOwnTools(folder, systemTime().clock).catch((error: unknown) => {
    throw error instanceof ToolSetupError ? new CommandError(redactText(error.message)) : error;
  });
  await mkdir(out, { recursive: true });
  const writing = tools.map(async ({ name, toolset, version, tool }) => {
    const path = join(out, `${name}.md`);
    await writeFile(path, toolPage(toolset, version, tool));
    return path;
  });
  return Promise.all(writing);
}
