import { z } from 'zod';
import type { TurnOptions } from '#contracts';

const MAX_NAME_LENGTH = 256;
const MAX_SERVERS = 500;
const MAX_TOOLS = 1000;
/** Of all servers: a turn keeps them. */
const MAX_NAMED_TOOLS = 10_000;
const MAX_FILES = 100;
const DEFAULT_TEMPERATURE = 0.2;
const MAX_TEMPERATURE = 2;
const DEFAULT_TOKENS = 4_000;
const MAX_TOKENS = 200_000;

const name = z.string().max(MAX_NAME_LENGTH);
/** Its clients send null for what they do not have. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const pinnedSchema = z.looseObject({
  type: z.string().max(MAX_NAME_LENGTH),
  title: z.string().optional(),
  content: z.unknown(),
});

const requestSchema = z.object({
  message: z.string().refine((text) => text.trim() !== '', { error: 'must not be blank' }),
  history: optional(z.array(z.object({ role: z.string(), content: z.unknown() }))),
  conversationId: optional(name),
  modelProvider: optional(z.string().max(100)),
  blockedServers: optional(z.array(name).max(MAX_SERVERS)),
  enabledTools: optional(
    z
      .record(name, z.array(name).max(MAX_TOOLS))
      .refine((servers) => Object.values(servers).flat().length <= MAX_NAMED_TOOLS, {
        error: 'names too many tools',
      }),
  ),
  pinnedArtifacts: optional(z.array(pinnedSchema)),
  pinnedGraph: optional(z.looseObject({})),
  attachments: optional(
    z.array(z.looseObject({ name: z.string().max(1024), varName: optional(name) })).max(MAX_FILES),
  ),
  temperature: optional(z.number()),
  maxTokens: optional(z.number()),
});

/** Nothing that restricts the tools is dropped, because that would allow forbidden tools. */
export const chatRequestSchema = requestSchema.refine((request) => onlyOf(request).length <= MAX_SERVERS, {
  error: 'blockedServers and enabledTools name too many servers',
});

export type ChatRequest = z.output<typeof requestSchema>;

/** The options of the request's own turn; `tools: false`: no tools at all. */
export function turnOptionsOf(
  request: Omit<ChatRequest, 'history' | 'pinnedArtifacts' | 'pinnedGraph'>,
  { tools, model, context }: { tools: boolean; model: string | undefined; context: string | undefined },
): TurnOptions {
  const { temperature = DEFAULT_TEMPERATURE, maxTokens = DEFAULT_TOKENS } = request;
  const files = dataFilesOf(request);
  const only = onlyOf(request);
  return {
    formatter: true,
    logs: true,
    temperature: clamp(temperature, 0, MAX_TEMPERATURE),
    max_output_tokens: clamp(Math.round(maxTokens), 1, MAX_TOKENS),
    ...(model === undefined ? {} : { model }),
    ...(tools ? {} : { tools: { allow: [] } }),
    ...(tools && only.length > 0 ? { tools: { only } } : {}),
    ...(context === undefined ? {} : { context }),
    ...(files.length > 0 ? { data_files: files } : {}),
  };
}

/** Blocking wins: a blocked server offers no tools, whatever else is listed. */
function onlyOf({
  blockedServers = [],
  enabledTools = {},
}: Pick<ChatRequest, 'blockedServers' | 'enabledTools'>) {
  const blocked = [...new Set(blockedServers)].map((server) => ({ server, tools: [] as string[] }));
  const enabled = Object.entries(enabledTools).map(([server, tools]) => ({ server, tools }));
  return [...blocked, ...enabled];
}

/** A variable for each file: its own name for it, or the file's up to the first dot. */
function dataFilesOf({
  attachments = [],
}: Pick<ChatRequest, 'attachments'>): NonNullable<TurnOptions['data_files']> {
  return attachments.map(({ name: file, varName }) => ({
    name: (varName || file.split('.')[0] || file).slice(0, MAX_NAME_LENGTH),
    file,
  }));
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max);
}
