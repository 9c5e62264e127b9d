import { z } from 'zod';
import { isObject, type Block } from '#contracts';
import type { ModelTool } from '#llm';

/** The tool that the model is forced to call after the loop. No tool of a toolset has such a name. */
export const RESPONSE_FORMATTER = 'response_formatter';

const ARTIFACT_TYPES = [
  'text/markdown',
  'text/html',
  'image/svg+xml',
  'application/vnd.ant.code',
  'application/vnd.mermaid',
  'application/vnd.react',
  'application/vnd.bibliography',
  'application/vnd.knowledge-graph',
] as const;

const artifactSchema = z.object({
  type: z.enum(ARTIFACT_TYPES),
  title: z.string(),
  content: z.string(),
  language: z.string().optional(),
});
const itemSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), content: z.string() }),
  z.object({ type: z.literal('artifact'), artifact: artifactSchema }),
]);
const answerSchema = z.object({ thinking: z.string().optional(), conversation: z.array(itemSchema).min(1) });

const text = (description: string) => ({ type: 'string', description });

export const FORMATTER_TOOL: ModelTool = {
  name: RESPONSE_FORMATTER,
  description:
    'Gives your answer to the user: text, and artifacts for content that stands alone (documents, code, pages, ' +
    'diagrams, graphs), in reading order. You are told to call it when you have called all other tools that you ' +
    'need; do not call it before.',
  input_schema: {
    type: 'object',
    properties: {
      thinking: text('The reasoning behind the answer; the user does not have to read it.'),
      conversation: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: {
            type: { type: 'string', enum: ['text', 'artifact'] },
            content: text('With type text: Markdown.'),
            artifact: {
              type: 'object',
              description: 'With type artifact.',
              properties: {
                type: { type: 'string', enum: ARTIFACT_TYPES },
                title: text('A few words.'),
                content: text('The whole content; JSON as a string.'),
                language: text('For code: the programming language.'),
                id: text('Not needed.'),
              },
              required: ['type', 'title', 'content'],
            },
          },
          required: ['type'],
        },
      },
    },
    required: ['conversation'],
  },
};

/** The last user message of a forced call. */
export const FORMATTER_REQUEST =
  `Now give your answer to the user by calling ${RESPONSE_FORMATTER}. Use what the tools have found; ` +
  'call no other tool.';

/** For a model that cannot be forced and whose loop was ended. */
export const PLAIN_REQUEST = 'Now answer the user in text with what you have. Call no more tools.';

/** The blocks of an answer; undefined when the arguments are invalid even after repair. */
export function readAnswer(args: Record<string, unknown> | undefined): Block[] | undefined {
  if (!args) return undefined;
  const parsed = answerSchema.safeParse({ ...args, conversation: repaired(args.conversation) });
  if (!parsed.success) return undefined;
  const { thinking, conversation } = parsed.data;
  const blocks = conversation.map((item): Block => {
    if (item.type === 'text') return { type: 'text', text: item.content };
    const { artifact } = item;
    return { type: 'text', text: shown(artifact), artifact };
  });
  if (blocks.every((block) => block.type === 'text' && block.text.trim() === '')) return undefined;
  return [...(thinking ? [{ type: 'thinking' as const, text: thinking }] : []), ...blocks];
}

/** Models sometimes send an encoded list, or a single item instead of a list. */
function repaired(conversation: unknown): unknown {
  if (typeof conversation === 'string') {
    const decoded = decode(conversation);
    return Array.isArray(decoded) ? decoded : [{ type: 'text', content: conversation }];
  }
  return isObject(conversation) ? [conversation] : conversation;
}

function decode(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** An artifact as text: for people in other clients, and later for the model. */
function shown({ title, content, language }: z.output<typeof artifactSchema>): string {
  const longest = Math.max(2, ...[...content.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n**${title}**\n\n${fence}${language ?? ''}\n${content}\n${fence}\n\n`;
}
