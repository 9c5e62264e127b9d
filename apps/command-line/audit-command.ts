import type { Command } from 'commander';
import type { AuditPage, AuditRecord } from '#contracts';
import { toTerminalSafe } from '#observability';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

interface Options {
  user?: string;
  conversation?: string;
  tool?: string;
  before?: string;
  limit: string;
  json?: boolean;
}

const HEADER = [
  'AT',
  'EVENT',
  'USER',
  'ABOUT',
  'STATUS',
  'ERROR',
  'ATTEMPT',
  'MS',
  'WORKER',
  'TURN',
  'CALL',
] as const;

/** `audit`. */
export function addAuditCommand(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  program
    .command('audit')
    .description('how tool calls ended and what operators did, newest first: never with which values')
    .option('--user <id>', 'of one user')
    .option('--conversation <id>', 'of one conversation')
    .option('--tool <name>', 'of one tool, such as math.add')
    .option(
      '--before <time or id>',
      'only earlier ones, such as 2026-03-01 (UTC), or what the last page named',
    )
    .option('--limit <number>', 'how many (500 at most)', '100')
    .option('--json', 'as JSON')
    .action(async ({ json, ...asked }: Options) => {
      const given = Object.entries(asked).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given).toString();
      const page = await openApi().get<AuditPage>(`/api/admin/audit?${query}`);
      if (json) return write(toJson(page));
      write(
        page.records.length === 0
          ? 'There are no records.\n'
          : formatTable(HEADER, page.records.map(cellsOf)),
      );
      if (page.before !== undefined) write(`\nThere may be more: --before ${toTerminalSafe(page.before)}\n`);
    });
}

function cellsOf(record: AuditRecord): string[] {
  const { at, audit, user_id, tool, subject, status, error_type, attempt, duration_ms } = record;
  const { worker, turn_id, tool_call_id } = record;
  const about = tool ?? subject;
  const optional = [about, status, error_type, attempt, duration_ms, worker, turn_id, tool_call_id];
  return [at, audit, user_id, ...optional.map((cell) => String(cell ?? '-'))];
}
