import { InvalidArgumentError, type Command } from 'commander';
import type { ListedLetter, ShownLetter } from '#contracts';
import { describeLetter, listLetters } from './describe-letters.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { toJson } from './to-json.js';

const PATH = '/api/admin/dead-letters';
const MAX_LIMIT = 500;

/** `dead-letters list | show | replay | discard`. */
export function addDeadLetterCommands(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  const commands = program.command('dead-letters').description('messages that the broker gave up on');
  commands
    .command('list')
    .description('the newest ones')
    .option('--limit <count>', 'how many', parseLimit, 100)
    .option('--json', 'as JSON')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const letters = await openApi().get<ListedLetter[]>(`${PATH}?limit=${limit}`);
      write(json ? toJson(letters) : listLetters(letters));
    });
  commands
    .command('show <id>')
    .description('one of them with its content')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const letter = await openApi().get<ShownLetter>(pathOf(id));
      write(json ? toJson(letter) : describeLetter(letter));
    });
  commands
    .command('replay <id>')
    .description('sends a hint about its turn again')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const letter = await openApi().post<ListedLetter>(`${pathOf(id)}/replay`);
      if (json) return write(toJson(letter));
      write(letter.queue === 'turns' ? 'Put back into turns.\n' : 'A hint about its turn was sent.\n');
    });
  commands
    .command('discard <id>')
    .description('forgets it')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      await openApi().delete(pathOf(id));
      write(json ? toJson({ discarded: id }) : 'Discarded.\n');
    });
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_LIMIT}.`);
}
