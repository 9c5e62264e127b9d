import { Option, type Command } from 'commander';
import { CommandError } from './command-error.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

/** An account as `GET /api/admin/users` lists it. */
interface ListedAccount {
  id: string;
  number: number;
  username: string;
  email: string;
  role: string;
  roles: string[];
  is_active: boolean;
  created_at: string;
}

interface Change {
  role?: string;
  roles?: string;
  active?: 'yes' | 'no';
  json?: boolean;
}

const PATH = '/api/admin/users';
const PAGE = 500;
const HEADER = ['NUMBER', 'ID', 'USERNAME', 'EMAIL', 'ROLE', 'ROLES', 'ACTIVE', 'SINCE'] as const;

/** `users list | set`, for `AUTH=local`. */
export function addAccountCommands(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  const commands = program.command('users').description('accounts, with AUTH=local');
  commands
    .command('list')
    .description('all of them, in the order of registration')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const accounts = await readAll(openApi()).catch(explainMissing);
      write(json ? toJson(accounts) : formatTable(HEADER, accounts.map(cellsOf)));
    });
  commands
    .command('set <id>')
    .description('changes what an account may do, except your own')
    .addOption(
      new Option('--role <role>', 'an operator manages the installation').choices(['user', 'operator']),
    )
    .option('--roles <names>', 'that rules of tools ask for, comma-separated; "" for none')
    .addOption(new Option('--active <yes or no>', 'whether it may sign in at all').choices(['yes', 'no']))
    .option('--json', 'as JSON')
    .action(async (id: string, { role, roles, active, json }: Change) => {
      if (role === undefined && roles === undefined && active === undefined)
        throw new CommandError('Say what to change: --role user|operator, --roles names, --active yes|no.');
      const named = roles?.split(',').map((name) => name.trim());
      const change = {
        role,
        roles: named?.filter((name) => name !== ''),
        is_active: active && active === 'yes',
      };
      const account = await openApi()
        .patch<ListedAccount>(`${PATH}/${encodeURIComponent(id)}`, change)
        .catch(explainMissing);
      write(json ? toJson(account) : formatTable(HEADER, [cellsOf(account)]));
    });
}

/** Without accounts these addresses do not exist. */
function explainMissing(error: unknown): never {
  if (error instanceof CommandError && error.status === 404)
    throw new CommandError(
      `${error.message} Accounts exist only with AUTH=local; users list shows their ids.`,
      404,
    );
  throw error;
}

async function readAll(api: GatewayApi): Promise<ListedAccount[]> {
  const accounts: ListedAccount[] = [];
  for (let page = [] as ListedAccount[], isFirst = true; isFirst || page.length === PAGE; isFirst = false) {
    page = await api.get<ListedAccount[]>(`${PATH}?after=${accounts.at(-1)?.number ?? 0}&limit=${PAGE}`);
    accounts.push(...page);
  }
  return accounts;
}

function cellsOf(account: ListedAccount): string[] {
  const { number, id, username, email, role, roles, is_active, created_at } = account;
  return [String(number), id, username, email, role, roles.join(','), is_active ? 'yes' : 'no', created_at];
}
