import type { Command } from 'commander';
import type { FleetState, ListedModel, ListedProcess, ListedToolset } from '#contracts';
import type { GatewayApi } from './gateway-api.adapter.js';
import { formatTable } from './table.js';
import { toJson } from './to-json.js';

const PROCESS_HEADER = ['PROCESS', 'HOST', 'VERSION', 'SINCE', 'STATE', 'LOAD'] as const;
const TOOLSET_HEADER = [
  'TOOLSET',
  'WORKERS',
  'QUEUED',
  'RUNNING',
  'SLOTS',
  'CALLS/S',
  'WAIT',
  'STATE',
] as const;
const MODEL_HEADER = ['MODEL', 'REQUESTS LEFT', 'TOKENS LEFT', 'STREAMS', 'WAITING', 'PAUSED'] as const;
const JSON_OPTION = ['--json', 'as JSON'] as const;

/** `status` and `toolsets`. */
export function addFleetCommands(
  program: Command,
  openApi: () => GatewayApi,
  write: (text: string) => void,
): void {
  const read = () => openApi().get<FleetState>('/api/admin/status');
  program
    .command('status')
    .description('the processes, what they do, and how many messages wait')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const state = await read();
      if (json) return write(toJson(state));
      write(formatTable(PROCESS_HEADER, state.processes.map(processCells)));
      // An older gateway does not tell.
      const { models = [] } = state as Partial<FleetState>;
      if (models.length > 0) write(`\n${formatTable(MODEL_HEADER, models.map(modelCells))}`);
      const queues = Object.entries(state.queues).map(([name, messages]) => `${name} ${messages}`);
      write(
        `\nMessages that wait: ${queues.length === 0 ? 'the broker does not say' : queues.join(', ')}.\n`,
      );
    });
  program
    .command('toolsets')
    .description('the toolsets: workers, calls that wait and run, and their pace')
    .option(...JSON_OPTION)
    .action(async ({ json }: { json?: boolean }) => {
      const { toolsets } = await read();
      if (json) return write(toJson(toolsets));
      write(
        toolsets.length === 0
          ? 'There are no toolsets.\n'
          : formatTable(TOOLSET_HEADER, toolsets.map(toolsetCells)),
      );
    });
}

function processCells({ id, host, version, started_at, is_alive, load }: ListedProcess): string[] {
  const state = is_alive ? (load.draining ? 'draining' : 'alive') : 'dead';
  return [id, host, version ?? '-', started_at ?? '-', state, loadText(load)];
}

function loadText({
  sockets,
  viewers,
  turns,
  model_waits = 0,
  toolsets = {},
}: ListedProcess['load']): string {
  const running = Object.values(toolsets).reduce((sum, toolset) => sum + toolset.running, 0);
  const slots = Object.values(toolsets).reduce((sum, toolset) => sum + toolset.slots, 0);
  const parts = [
    ...(sockets === undefined ? [] : [`sockets ${sockets}`]),
    ...(viewers === undefined ? [] : [`viewers ${viewers}`]),
    ...(turns === undefined ? [] : [`turns ${turns}`]),
    ...(model_waits === 0 ? [] : [`wait for a model ${model_waits}`]),
    ...(slots === 0 ? [] : [`calls ${running} of ${slots}`]),
  ];
  return parts.join(', ') || '-';
}

function modelCells({ name, waiting, paused_ms, ...model }: ListedModel): string[] {
  return [
    name,
    shareText(model.requests_left, model.requests_limit),
    shareText(model.tokens_left, model.tokens_limit),
    shareText(model.streams, model.streams_limit),
    String(waiting),
    paused_ms === undefined ? '-' : secondsText(paused_ms),
  ];
}

function shareText(count: number | undefined, limit: number | undefined): string {
  if (count === undefined) return '-';
  return limit === undefined ? String(count) : `${count} of ${limit}`;
}

function secondsText(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}

function toolsetCells({
  name,
  workers,
  calls,
  running,
  slots,
  per_second,
  estimate_ms,
  is_paused,
  draining,
  blocked_tools,
}: ListedToolset): string[] {
  return [
    name,
    String(workers),
    calls === undefined ? '-' : String(calls),
    String(running),
    String(slots),
    per_second.toFixed(1),
    estimate_ms === undefined ? '-' : secondsText(estimate_ms),
    stateText({ is_paused, draining, blocked_tools }),
  ];
}

/** An older gateway tells none of it. */
function stateText({
  is_paused,
  draining = 0,
  blocked_tools: blocked = [],
}: Partial<Pick<ListedToolset, 'is_paused' | 'draining' | 'blocked_tools'>>): string {
  const parts = [
    ...(is_paused ? ['paused'] : []),
    ...(blocked.length > 0 ? [`blocked: ${blocked.join(' ')}`] : []),
    ...(draining > 0 ? [`${draining} draining`] : []),
  ];
  return parts.join(', ') || '-';
}
