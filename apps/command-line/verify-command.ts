import type { Command } from 'commander';
import { verifyPage, type BrokenInvariant, type VerifiedPage, type VerifyPosition } from '#journal';
import { SystemClock } from '#time';
import { INVARIANTS, type Invariant } from '#turn';
import { CommandError } from './command-error.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import type { Terminal } from './terminal.js';
import { openStoreToRead } from './store-access.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

const HEADER = ['INVARIANT', 'CONVERSATION', 'TURN', 'ROW'] as const;
/** A store may be broken in more places than anyone reads. */
const MAX_LISTED = 1_000;
const BROKEN = 1;
const NOT_CHECKED = 2;

interface Verified {
  where: string;
  conversations: number;
  turns: number;
  /** How many; `listed` are the first ones. */
  broken: number;
  listed: BrokenInvariant[];
}

type ReadPage = (from: VerifyPosition) => Promise<VerifiedPage>;

/** `verify`: exit code 0 when every invariant holds, 1 when one is broken, 2 when the store could not be checked. */
export function addVerifyCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  program
    .command('verify')
    .description('checks the invariants of docs/guarantees.md in the store, and changes nothing')
    .option('--json', 'as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const isUrlGiven = program.getOptionValueSource('url') === 'cli';
      const verified = await verify(terminal, isUrlGiven, openApi).catch(notChecked);
      terminal.write(json ? toJson(explained(verified)) : describe(verified));
      if (verified.broken > 0) terminal.exitWith?.(BROKEN);
    });
}

async function verify(
  { environment }: Terminal,
  isUrlGiven: boolean,
  openApi: () => GatewayApi,
): Promise<Verified> {
  const access = await openStoreToRead(environment, isUrlGiven);
  if (access.kind === 'process') return askProcess(openApi(), access.reason);
  const { store, where } = access;
  try {
    return await readAll(where, (from) => verifyPage(store, new SystemClock(), from));
  } finally {
    await store.close();
  }
}

async function askProcess(api: GatewayApi, reason: string): Promise<Verified> {
  try {
    return await readAll(`the running process (${reason})`, (from) => askForPage(api, from));
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(`${reason}, so the process was asked. ${error.message}`);
  }
}

function askForPage(api: GatewayApi, { conversation, before }: VerifyPosition): Promise<VerifiedPage> {
  const query = new URLSearchParams({
    conversation,
    ...(before !== undefined && { before: String(before) }),
  });
  return api.get<VerifiedPage>(`/api/admin/verify?${query.toString()}`);
}

async function readAll(where: string, readPage: ReadPage): Promise<Verified> {
  const verified: Verified = { where, conversations: 0, turns: 0, broken: 0, listed: [] };
  for (let from: VerifyPosition | undefined = { conversation: '' }; from !== undefined;) {
    const { conversations, turns, broken, next }: VerifiedPage = await readPage(from);
    verified.conversations += conversations;
    verified.turns += turns;
    verified.broken += broken.length;
    verified.listed.push(...broken.slice(0, MAX_LISTED - verified.listed.length));
    from = next;
  }
  return verified;
}

function notChecked(error: unknown): never {
  const message = error instanceof Error ? error.message : String(error);
  throw new CommandError(`The store could not be checked: ${message}`, undefined, NOT_CHECKED);
}

function explained({ listed, ...verified }: Verified): object {
  return { ...verified, listed: listed.map((one) => ({ ...one, ...textsOf(one.invariant) })) };
}

function describe({ where, conversations, turns, broken, listed }: Verified): string {
  const checked = `Checked ${conversations} conversations with ${turns} turns in ${where}`;
  if (broken === 0) return `${checked}: every invariant holds.\n`;
  const names = [...new Set(listed.map(({ invariant }) => invariant))];
  const texts = names.map((name) => {
    const { means, mend } = textsOf(name);
    return `${name}\n  ${means}\n  ${mend}\n`;
  });
  const rest = broken > listed.length ? `The first ${listed.length} of them are listed.\n` : '';
  return `${checked}: ${broken} broken.\n${rest}\n${formatTable(HEADER, listed.map(cellsOf))}\n${texts.join('')}`;
}

/** The process that checked may be of another version. */
function textsOf(invariant: Invariant): { means: string; mend: string } {
  if (Object.hasOwn(INVARIANTS, invariant)) return INVARIANTS[invariant];
  return { means: 'This version does not know it.', mend: 'Use the command of the version that checked.' };
}

function cellsOf({ invariant, conversation_id, turn_id, row }: BrokenInvariant): string[] {
  return [invariant, conversation_id ?? '-', turn_id ?? '-', row];
}
