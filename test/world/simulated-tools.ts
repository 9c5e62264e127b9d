import type { ToolClass } from '#contracts';
import type { Tool, ToolsetHost } from '#tools';
import { defineToolset, success } from '../../libs/tools/index.js';
import { TOOLS } from '../soak/plan.js';
import type { SimulatedProcess } from './simulated-process.js';

/** One for each class, one that a person must allow, and one that asks a person. */
export const WORLD_TOOLS = [...TOOLS, 'asks'] as const;

const CLASSES: Record<(typeof WORLD_TOOLS)[number], ToolClass> = {
  read: 'read',
  repeat: 'idempotent',
  keyed: 'keyed',
  once: 'once',
  asked: 'once',
  asks: 'idempotent',
};

const COLOUR = {
  type: 'object',
  properties: { colour: { type: 'string' } },
  required: ['colour'],
};

export const TOOLSET = 'trace';

/** Each start is written down before anything else. */
export function createTraceToolset(process: SimulatedProcess): ToolsetHost {
  return defineToolset({
    name: TOOLSET,
    version: '1.0.0',
    tools: WORLD_TOOLS.map((name) => traceTool(process, name)),
  });
}

function traceTool(process: SimulatedProcess, name: (typeof WORLD_TOOLS)[number]): Tool {
  const { world, clock } = process;
  return {
    definition: {
      own_name: name,
      description: `Writes down that it has started (${name}).`,
      input_schema: {
        type: 'object',
        properties: { label: { type: 'string' }, takes_ms: { type: 'integer' } },
        required: ['label', 'takes_ms'],
        additionalProperties: false,
      },
      class: CLASSES[name],
      timeout_ms: 30_000,
    },
    async run(args, { toolCallId, attempt, signal, progress, ask }) {
      const { label, takes_ms } = args as { label: string; takes_ms: number };
      world.noteStart(process, { tool: name, label, tool_call_id: toolCallId, attempt });
      await clock.sleep(takes_ms / 2, signal);
      progress(1, 2);
      if (name === 'asks') await ask({ message: `A colour for ${label}?`, schema: COLOUR });
      await clock.sleep(takes_ms / 2, signal);
      return success(`done ${label}`);
    },
  };
}
