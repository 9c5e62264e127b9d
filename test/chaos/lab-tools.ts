import type { ToolClass, ToolResult } from '#contracts';
import {
  defineToolset,
  failure,
  success,
  ToolConnectionLostError,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolsetHost,
} from '#tools';
import type { Life } from './life.js';
import type { Random } from './random.js';
import type { Trace } from './trace.js';

export const TIMEOUT_MS = 3_000;

const INPUT_SCHEMA = {
  type: 'object',
  properties: { value: { type: 'integer' } },
  required: ['value'],
  additionalProperties: false,
};

type Behaviour = (context: ToolContext, random: Random, trace: Trace) => Promise<ToolResult>;

interface LabTool {
  name: string;
  class: ToolClass;
  behave: Behaviour;
}

const LAB: LabTool[] = [
  { name: 'peek', class: 'read', behave: (_context, random) => after(random.between(1, 60)) },
  {
    name: 'survey',
    class: 'read',
    behave: (context, random) => obedient(context, random.between(300, 2_500)),
  },
  {
    name: 'put',
    class: 'idempotent',
    behave: (context, random) => obedient(context, random.between(1, 1_500)),
  },
  { name: 'flaky', class: 'keyed', behave: loseConnection },
  { name: 'pay', class: 'once', behave: (_context, random) => after(random.between(1, 400)) },
  {
    name: 'build',
    class: 'once',
    behave: (context, random) => obedient(context, random.between(300, 2_800)),
  },
  { name: 'deaf', class: 'once', behave: (_context, random) => after(random.between(1_000, 9_000)) },
  { name: 'cut_off', class: 'once', behave: loseConnection },
];

/** Hosted by some workers only, so that its queue can be without consumers. */
const RARE: LabTool[] = [
  { name: 'dig', class: 'keyed', behave: (context, random) => obedient(context, random.between(1, 900)) },
  { name: 'fail', class: 'once', behave: refuse },
  { name: 'approve', class: 'once', behave: (_context, random) => after(random.between(1, 200)) },
];

/** Tools of every class and every bad habit; each start is recorded before anything else happens. */
export function labToolsets(life: Life, trace: Trace, random: Random, hostsRare: boolean): ToolsetHost[] {
  const toolset = (name: string, tools: LabTool[]) =>
    defineToolset({ name, version: '1', tools: tools.map((tool) => createTool(tool, life, trace, random)) });
  return hostsRare ? [toolset('lab', LAB), toolset('rare', RARE)] : [toolset('lab', LAB)];
}

/** Bus names, as `toolset.tool`. */
export const TOOL_NAMES = [
  ...LAB.map(({ name }) => `lab.${name}`),
  ...RARE.map(({ name }) => `rare.${name}`),
];

function createTool(
  { name, class: toolClass, behave }: LabTool,
  life: Life,
  trace: Trace,
  random: Random,
): Tool {
  return {
    definition: {
      own_name: name,
      description: `does ${name}`,
      input_schema: INPUT_SCHEMA,
      class: toolClass,
      timeout_ms: TIMEOUT_MS,
    },
    run(_args, context) {
      trace.started({ toolCallId: context.toolCallId, attempt: context.attempt, toolClass, life });
      return behave(context, random, trace);
    },
  };
}

async function after(ms: number): Promise<ToolResult> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return success({ took_ms: Math.round(ms) });
}

/** Ends as soon as it is told to. */
async function obedient({ signal }: ToolContext, ms: number): Promise<ToolResult> {
  const stopped = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  return Promise.race([after(ms), stopped]);
}

async function loseConnection(context: ToolContext, random: Random, trace: Trace): Promise<ToolResult> {
  const result = await after(random.between(1, 300));
  if (random.chance(0.5)) return result;
  trace.connectionsLost.add(context.toolCallId);
  throw new ToolConnectionLostError('the server went away');
}

async function refuse(_context: ToolContext, random: Random): Promise<ToolResult> {
  await after(random.between(1, 200));
  throw new ToolError(failure('ResourceNotFound', 'There is no such thing.').error!);
}
