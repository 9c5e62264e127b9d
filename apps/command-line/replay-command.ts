import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Journal, Replay } from '#contracts';
import { auditRecord } from '#journal';
import type { Store } from '#store';
import { systemTime, timestampOf } from '#time';
import { replayOf } from '#turn';
import { CommandError } from './command-error.js';
import { describeReplay } from './describe-replay.js';
import type { GatewayApi } from './gateway-api.adapter.js';
import { openStoreToRead, writeToStore } from './store-access.js';
import type { Terminal } from './terminal.js';
import { toJson } from './to-json.js';

const DIFFERS = 1;
const NOT_PLAYED = 2;
const NOT_FOUND = 404;

interface Options {
  dryRun?: boolean;
  json?: boolean;
}

/**
 * `replay <turn> --dry-run`: exit code 0 when this version decides as was recorded, 1 when it would have done something
 * else, 2 when the turn could not be read.
 */
export function addReplayCommand(program: Command, openApi: () => GatewayApi, terminal: Terminal): void {
  program
    .command('replay <turn>')
    .description(
      'plays a turn again from its journal: what was asked, said, called and answered; nothing runs',
    )
    .option('--dry-run', 'required: there is no other replay')
    .option('--json', 'as JSON')
    .action(async (turnId: string, { dryRun, json }: Options) => {
      if (!dryRun) throw notPlayed('A turn that has run is never run again. Add --dry-run to see it.');
      const isUrlGiven = program.getOptionValueSource('url') === 'cli';
      const played = await replay(terminal, turnId, isUrlGiven, openApi).catch(explainFailure);
      terminal.write(json ? toJson(played) : describeReplay(played));
      if (played.differences.length > 0) terminal.exitWith?.(DIFFERS);
    });
}

async function replay(
  { environment }: Terminal,
  turnId: string,
  isUrlGiven: boolean,
  openApi: () => GatewayApi,
): Promise<Replay> {
  const access = await openStoreToRead(environment, isUrlGiven);
  if (access.kind === 'process') return askOwner(openApi(), turnId, access.reason);
  const journal = await readThenClose(access.store, turnId);
  if (!journal) throw notPlayed(`There is no turn ${turnId} in ${access.where}.`);
  const { clock, random } = systemTime();
  const { _id: turn_id, conversation_id } = journal.turn;
  const action = { audit: 'turn_replayed', user_id: personHere(), conversation_id, turn_id } as const;
  // Whoever reads other people's words leaves a record, or does not read them.
  await writeToStore(environment, (store) =>
    store.putAuditRecords([auditRecord({ at: timestampOf(clock), ...action }, random)]),
  );
  return replayOf(journal);
}

async function askOwner(api: GatewayApi, turnId: string, reason: string): Promise<Replay> {
  try {
    return await api.get<Replay>(`/api/turns/${encodeURIComponent(turnId)}/replay`);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const text =
      error.status === NOT_FOUND
        ? `There is no turn ${turnId} of the user of SWITCHYARD_TOKEN; nobody else may replay it.`
        : error.message;
    throw notPlayed(`${reason}, so the process was asked. ${text}`);
  }
}

/** Content of a deleted conversation is on its way out. */
async function readThenClose(store: Store, turnId: string): Promise<Journal | undefined> {
  try {
    const journal = await store.readJournal(turnId);
    const conversation = journal && (await store.getConversation(journal.turn.conversation_id));
    return conversation && conversation.deleted_at === undefined ? journal : undefined;
  } finally {
    await store.close();
  }
}

function personHere(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // A container's user may have no name.
    return `${process.getuid?.() ?? 'unknown'}@${hostname()}`;
  }
}

function explainFailure(error: unknown): never {
  if (error instanceof CommandError) throw error;
  throw notPlayed(`The turn could not be read: ${error instanceof Error ? error.message : String(error)}`);
}

function notPlayed(message: string): CommandError {
  return new CommandError(message, undefined, NOT_PLAYED);
}
