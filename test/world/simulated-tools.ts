import type { ToolClass } from '#contracts';
import type { Tool, ToolsetHost } from '#tools';
import { defineToolset, success } from '../../libs/tools/index.js';
import { TOOLS } from '../soak/plan.js';
import type { SimulatedProcess } from './simulated-process.js';

const CLASSES: Record<(typeof TOOLS)[number], ToolClass> = {
  read: 'read',
  repeat: 'idempotent',
  keyed: 'keyed',
  once: 'once',
  asked: 'once',
};

/** One tool for each class, and one more that a person must allow: each start is written down before anything else. */
export function createTraceToolset(process: SimulatedProcess): ToolsetHost {
  return defineToolset({
    name: 'trace',
    version: '1.0.0',
    tools: TOOLS.map((name) => traceTool(process, name)),
  });
}

function traceTool(process: SimulatedProcess, name: (typeof TOOLS)[number]): Tool {
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
    async run(args, { toolCallId, attempt, signal, progress }) {
      const { label, takes_ms } = args as { label: string; takes_ms: number };
      world.noteStart(process, { tool: name, label, tool_call_id: toolCallId, attempt });
      await clock.sleep(takes_ms / 2, signal);
      progress(1, 2);
      await clock.sleep(takes_ms / 2, signal);
      return success(`done ${label}`);
    },
  };
}
