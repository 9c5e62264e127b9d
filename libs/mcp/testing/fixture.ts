import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { InputSchemas, makeArtifact, referenceTo, type Tool, type ToolContext } from '#tools';
import { settledWithin, SystemClock, systemTime, type Time } from '#time';
import type { McpStdioServer } from '../config/mcp-config.js';
import type { McpLogger } from '../config/telemetry.js';
import type { McpMetrics } from '../config/telemetry.js';
import type { McpTimings } from '../config/mcp-timings.js';
import { McpToolset } from '../mcp-toolset.js';

const { resolve } = createRequire(import.meta.url);

/** The start script of a published server in node_modules. */
export function serverScript(name: 'everything' | 'filesystem' | 'memory' | 'sequential-thinking'): string {
  return resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
}

/** One of our own servers in this folder. */
export function testServerScript(
  name: 'scripted' | 'scripted-http' | 'silent' | 'hostile' | 'asking' | 'lying',
): string {
  return fileURLToPath(new URL(`./${name}-server.mjs`, import.meta.url));
}

/** The settings of a server that sets nothing. */
export const SERVER_DEFAULTS = {
  start: 'eager',
  scope: 'shared',
  idleMs: 600_000,
  maxInstances: 20,
  concurrency: 10,
  timeoutMs: 20_000,
  trusted: false,
} as const;

export function stdioServer(
  name: string,
  args: string[],
  overrides: Partial<McpStdioServer> = {},
): McpStdioServer {
  return { name, command: process.execPath, args, env: {}, ...SERVER_DEFAULTS, ...overrides };
}

export interface LogLine {
  level: string;
  fields: Record<string, unknown>;
  message: string;
}

export function recordingLogger(): McpLogger & { lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields: fields as Record<string, unknown>, message });
  return { lines, info: log('info'), warn: log('warn'), error: log('error') };
}

const started: McpToolset[] = [];

/** With short timings; stopped by `stopToolsets`. */
export function createToolset(
  server: ConstructorParameters<typeof McpToolset>[0],
  timings: Partial<McpTimings> = {},
  logger = recordingLogger(),
  { metrics, time = systemTime() }: { metrics?: McpMetrics; time?: Time } = {},
): McpToolset {
  const quick = { firstTryMs: 25_000, minPauseMs: 10, maxPauseMs: 100, checkEveryMs: 60_000 };
  const deps = { schemas: new InputSchemas(), logger, timings: { ...quick, ...timings }, metrics };
  const toolset = new McpToolset(server, { ...deps, ...time });
  started.push(toolset);
  return toolset;
}

export async function stopToolsets(): Promise<void> {
  await Promise.all(started.splice(0).map((toolset) => toolset.stop()));
}

export function toolOf(toolset: McpToolset, name: string): Tool {
  const tool = toolset.tools().find(({ definition }) => definition.own_name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

/** Enough for a process that starts on a busy machine. */
const PATIENCE_MS = 30_000;

/** Resolves when `isTrue` returns true, now or after a change of the toolset; fails with the list of tools if it never does. */
export async function untilChanged(toolset: McpToolset, isTrue: () => boolean): Promise<void> {
  const changed = new Promise<void>((resolve) => {
    const look = () => isTrue() && resolve();
    toolset.onChange(look);
    look();
  });
  if (await settledWithin(new SystemClock(), changed, PATIENCE_MS)) return;
  const names = toolset.tools().map(({ definition }) => definition.own_name);
  throw new Error(`the toolset did not change as expected; its tools: ${names.join(', ') || 'none'}`);
}

const PLACE = { user_id: 'user-1', conversation_id: 'conversation-1', turn_id: 'turn-1', tool_call_id: '' };

export function toolContext(overrides: Partial<ToolContext> = {}): ToolContext {
  return {
    toolCallId: 'call_0123456789abcdefghijkl',
    turnId: 'turn-1',
    conversationId: 'conversation-1',
    userId: 'user-1',
    attempt: 1,
    signal: new AbortController().signal,
    deadline: Date.now() + 60_000,
    wantsLogs: false,
    progress: () => undefined,
    attach: async (attachment) => referenceTo(makeArtifact(PLACE, attachment, new Date().toISOString())),
    ask: () => Promise.reject(new Error('no one to ask')),
    ...overrides,
  };
}
