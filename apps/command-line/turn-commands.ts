import type { Command } from 'commander';
import type { ListedTurn, TimelineEntry, TurnTimeline } from '#contracts';
import { toTerminalSafe } from '#observability';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

const TURN_HEADER = ['TURN', 'USER', 'SINCE', 'REASON', 'WHY'] as const;
const TIMELINE_HEADER = ['AT', 'WHAT', 'STEP', 'CALL', 'ATTEMPT', 'BY', 'ABOUT'] as const;

type Write = (text: string) => void;
interface JsonOption {
  json?: boolean;
}

/** `turns list`, `turns show <id>` and `turns why <id>`. */
export function addTurnCommands(program: Command, openApi: () => GatewayApi, write: Write): void {
  const turns = program.command('turns').description('turns that wait or run: why, and what has happened');
  const timelineOf = (id: string) =>
    openApi().get<TurnTimeline>(`/api/admin/turns/${encodeURIComponent(id)}/timeline`);
  turns
    .command('list')
    .description('turns that are not over, with the reason why')
    .option('--limit <number>', 'how many (100 at most)', '20')
    .option('--json', 'as JSON')
    .action(async ({ limit, json }: JsonOption & { limit: string }) => {
      const listed = await openApi().get<ListedTurn[]>(`/api/admin/turns?limit=${encodeURIComponent(limit)}`);
      if (json) return write(toJson(listed));
      if (listed.length === 0) return write('No turn waits or runs.\n');
      write(formatTable(TURN_HEADER, listed.map(turnCells)));
      if (listed.length >= Number(limit)) write('\nThere may be more: --limit 100 shows up to 100.\n');
    });
  turns
    .command('show <id>')
    .description('everything that is known about a turn, in the order of time')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const turn = await timelineOf(id);
      if (json) return write(toJson(turn));
      write(`Turn ${turn.number} of ${turn.conversation_id}, of user ${turn.user_id}.\n`);
      writeReason(turn, write);
      write(`\n${formatTable(TIMELINE_HEADER, turn.timeline.map(entryCells))}`);
    });
  turns
    .command('why <id>')
    .description('why a turn waits now, and what it would take')
    .option('--json', 'as JSON')
    .action(async (id: string, { json }: JsonOption) => {
      const turn = await timelineOf(id);
      if (json) return write(toJson(turn.waiting));
      writeReason(turn, write);
    });
}

function writeReason({ waiting, status }: ListedTurn, write: Write): void {
  write(`${toTerminalSafe(waiting ? waiting.text : `It is over: ${status}.`)}\n`);
}

function turnCells({ turn_id, user_id, waiting }: ListedTurn): string[] {
  return [turn_id, user_id, waiting?.since ?? '-', waiting?.reason ?? '-', waiting?.text ?? '-'];
}

function entryCells({ at, what, step, tool_call_id, attempt, by, about = {} }: TimelineEntry): string[] {
  const facts = Object.entries(about).map(([name, value]) => `${name}=${value}`);
  return [
    at,
    what,
    step === undefined ? '-' : String(step),
    tool_call_id ?? '-',
    attempt === undefined ? '-' : String(attempt),
    by ?? '-',
    facts.join(' ') || '-',
  ];
}
