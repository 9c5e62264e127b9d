import { z } from 'zod';
import type { ToolClass } from '#contracts';
import type { Tool, ToolContext, ToolsetHost } from './tool.port.js';
import { success } from './tool-result.js';

interface ToolSource<Input extends z.ZodType> {
  name: string;
  description: string;
  /** A `z.strictObject`: unknown arguments are refused. */
  input: Input;
  class: ToolClass;
  timeoutMs: number;
  /** Returns the result's payload (see `success`), throws `ToolError` for a failure with a type. */
  run(args: z.output<Input>, context: ToolContext): unknown;
}

/** A local tool: its arguments' type, JSON Schema and check all come from one zod schema. */
export function defineTool<Input extends z.ZodType>(source: ToolSource<Input>): Tool {
  const { name, description, input, timeoutMs } = source;
  const { $schema: _dialect, ...input_schema } = z.toJSONSchema(input, { io: 'input' });
  return {
    definition: { own_name: name, description, input_schema, class: source.class, timeout_ms: timeoutMs },
    async run(args, context) {
      return success(await source.run(input.parse(args), context));
    },
  };
}

interface ToolsetSource {
  /** `^[a-z0-9_]+$` */
  name: string;
  version: string;
  tools: Tool[];
  start?(): Promise<void>;
  stop?(): Promise<void>;
}

/** A local toolset; its tools never change while it runs. */
export function defineToolset({ name, version, tools, start, stop }: ToolsetSource): ToolsetHost {
  return {
    name,
    source: 'local',
    server: name,
    version,
    tools: () => tools,
    start: async () => start?.(),
    onChange: () => undefined,
    stop: async () => stop?.(),
  };
}
