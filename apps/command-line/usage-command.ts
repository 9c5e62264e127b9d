import type { Command } from 'commander';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

/** A row as `GET /api/admin/usage` returns it. */
interface Row {
  user_id?: string;
  day?: string;
  model?: string;
  conversation_id?: string;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number;
}

interface Usage {
  from: string;
  to: string;
  total: Row;
  rows: Row[];
  is_cut: boolean;
}

interface Options {
  from?: string;
  to?: string;
  by: string;
  user?: string;
  json?: boolean;
}

const KEYS = [
  ['user_id', 'USER'],
  ['day', 'DAY'],
  ['model', 'MODEL'],
  ['conversation_id', 'CONVERSATION'],
] as const;
const SUMS = ['INPUT', 'CACHED', 'OUTPUT', 'COST'] as const;

/** `usage`. */
export function addUsageCommand(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  program
    .command('usage')
    .description('what models have used, in tokens and cost')
    .option('--from <day>', 'first day, such as 2026-03-01 (default: 29 days before the last one)')
    .option('--to <day>', 'last day (default: today, UTC)')
    .option('--by <keys>', 'one line for each user, day, model, conversation', 'user,model')
    .option('--user <id>', 'of one user')
    .option('--json', 'as JSON')
    .action(async ({ from, to, by, user, json }: Options) => {
      const given = Object.entries({ from, to, by, user_id: user }).filter(
        ([, value]) => value !== undefined,
      );
      const query = new URLSearchParams(given as [string, string][]).toString();
      const usage = await openApi().get<Usage>(`/api/admin/usage?${query}`);
      write(json ? toJson(usage) : describe(usage));
    });
}

function describe({ from, to, rows, total, is_cut: isCut }: Usage): string {
  if (rows.length === 0) return `No model was used from ${from} to ${to}.\n`;
  const keys = KEYS.filter(([key]) => rows[0]![key] !== undefined);
  const lines = rows.map((row) => [...keys.map(([key]) => row[key] ?? '-'), ...cellsOf(row)]);
  // Without any key the one row is the total.
  const sum = keys.length === 0 ? [] : [['TOTAL', ...keys.slice(1).map(() => ''), ...cellsOf(total)]];
  const table = formatTable([...keys.map(([, name]) => name), ...SUMS], [...lines, ...sum]);
  return isCut ? `${table}There are more rows: ask for fewer days or keys.\n` : table;
}

function cellsOf(row: Row): string[] {
  const { input_tokens, cached_tokens, output_tokens, cost } = row;
  return [...[input_tokens, cached_tokens, output_tokens].map(String), String(Number(cost.toPrecision(6)))];
}
