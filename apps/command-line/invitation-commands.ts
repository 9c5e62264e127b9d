import { InvalidArgumentError, type Command } from 'commander';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

/** An invitation as `GET /api/admin/invitations` lists it. */
interface Invitation {
  id: string;
  note: string | null;
  created_at: string;
  expires_at: string;
}

const PATH = '/api/admin/invitations';
const HEADER = ['ID', 'FOR', 'SINCE', 'UNTIL'] as const;

/** `invitations create | list | withdraw`, for `REGISTRATION=invite`. */
export function addInvitationCommands(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  const commands = program
    .command('invitations')
    .description('links that make one account each, with REGISTRATION=invite');
  commands
    .command('create')
    .description('prints a link that is shown only once; give the --url at which users reach the page')
    .option('--hours <number>', 'how long the link is valid, at most 720', parseHours, 72)
    .option('--for <name>', 'a note for your own list')
    .option('--json', 'as JSON')
    .action(async ({ hours, for: note, json }: { hours: number; for?: string; json?: boolean }) => {
      const { token, ...made } = await openApi().post<Invitation & { token: string }>(PATH, {
        hours,
        ...(note !== undefined && { note }),
      });
      const { url } = program.opts<{ url: string }>();
      const link = new URL(`/#invitation=${token}`, url).href;
      if (json) return write(toJson({ ...made, link }));
      write(`${link}\nIt creates one account and expires at ${made.expires_at}.\n`);
    });
  commands
    .command('list')
    .description('yours that were not used yet')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const open = await openApi().get<Invitation[]>(PATH);
      write(json ? toJson(open) : formatTable(HEADER, open.map(cellsOf)));
    });
  commands
    .command('withdraw <id>')
    .description('withdraws one of yours, so that its link no longer works')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await openApi().delete(`${PATH}/${encodeURIComponent(id)}`);
      write(json ? toJson({ withdrawn: id }) : 'Withdrawn.\n');
    });
}

function parseHours(text: string): number {
  const hours = Number(text);
  if (!Number.isInteger(hours) || hours < 1 || hours > 720)
    throw new InvalidArgumentError('It must be a whole number from 1 to 720.');
  return hours;
}

function cellsOf({ id, note, created_at, expires_at }: Invitation): string[] {
  return [id, note ?? '', created_at, expires_at];
}
