import type { Command } from 'commander';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

/** A call as `GET /api/admin/conversations/:id/calls` lists it. */
interface ListedCall {
  turn_number: number;
  step: number;
  tool_call_id: string;
  tool_name: string;
  class: string;
  state: string;
  attempt: number;
  worker?: string;
  duration_ms?: number;
  error_type?: string;
  asked_at: string;
  ended_at?: string;
  claims: object[];
}

interface Page {
  calls: ListedCall[];
  before?: number;
}

const HEADER = [
  'TURN',
  'STEP',
  'CALL',
  'TOOL',
  'STATE',
  'ATTEMPT',
  'WORKER',
  'MS',
  'ERROR',
  'ASKED',
  'ENDED',
] as const;

/** `calls --conversation <id>`. */
export function addCallCommand(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  program
    .command('calls')
    .description('the tool calls of a conversation and their outcomes, oldest first')
    .requiredOption('--conversation <id>', 'whose calls')
    .option('--json', 'as JSON, with every claim')
    .action(async ({ conversation, json }: { conversation: string; json?: boolean }) => {
      const calls = await readAll(openApi(), conversation);
      if (json) return write(toJson(calls));
      write(calls.length === 0 ? 'No tool was called.\n' : formatTable(HEADER, calls.map(cellsOf)));
    });
}

async function readAll(api: GatewayApi, conversationId: string): Promise<ListedCall[]> {
  const path = `/api/admin/conversations/${encodeURIComponent(conversationId)}/calls?limit=100`;
  const pages: ListedCall[][] = [];
  for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const page = await api.get<Page>(before === undefined ? path : `${path}&before=${before}`);
    pages.unshift(page.calls);
    before = page.before;
  }
  return pages.flat();
}

function cellsOf(call: ListedCall): string[] {
  return [
    String(call.turn_number),
    String(call.step),
    call.tool_call_id,
    call.tool_name,
    call.state,
    String(call.attempt),
    call.worker ?? '-',
    call.duration_ms === undefined ? '-' : String(call.duration_ms),
    call.error_type ?? '-',
    call.asked_at,
    call.ended_at ?? '-',
  ];
}
