import { z } from 'zod';
import { idSchema, type Artifact } from '#contracts';
import type { Clock } from '#time';
import { defineTool, defineToolset, type ToolContext, ToolError, type ToolsetHost } from '#tools';
import { characterStart, compilePattern, isContinuation, searchText } from './search-text.js';

/** The part of the store that these tools need to read artifacts. */
export interface ArtifactReader {
  getArtifact(id: string): Promise<Artifact | null>;
}

const MAX_LENGTH = 24_000;
const DEFAULT_LENGTH = 16_000;
const TIMEOUT_MS = 15_000;
const TEXT_TYPE = /^text\/|[/+](json|xml|yaml|javascript|toml|sql|x-ndjson|x-sh)$/;

const id = z.string().max(128).describe('Id of the artifact: art_ and 32 hex digits');

/** Gives the model the parts that results leave out: parts of artifacts of the call's own conversation. */
export function createArtifactsToolset(artifacts: ArtifactReader, clock: Clock): ToolsetHost {
  return defineToolset({
    name: 'artifacts',
    version: '1.0.1',
    tools: [readTool(artifacts), searchTool(artifacts, clock)],
  });
}

function readTool(artifacts: ArtifactReader) {
  return defineTool({
    name: 'read',
    description:
      'Reads a part of a text artifact: output of an earlier tool call that was too long to be shown in full. ' +
      'Offset and length count bytes of UTF-8; the end of the answer gives the offset to continue with.',
    input: z.strictObject({
      id,
      offset: z.int().min(0).default(0).describe('Offset of the first byte to read'),
      length: z
        .int()
        .min(1)
        .max(MAX_LENGTH)
        .default(DEFAULT_LENGTH)
        .describe(`Bytes to read, at most ${MAX_LENGTH}`),
    }),
    class: 'read',
    timeoutMs: TIMEOUT_MS,
    run: async (args, context) => {
      const content = await readContent(artifacts, args.id, context);
      const begin = characterStart(content, Math.min(args.offset, content.byteLength));
      const end = Math.max(
        characterStart(content, Math.min(begin + args.length, content.byteLength)),
        nextCharacter(content, begin),
      );
      const goesOn = end < content.byteLength ? `; continue with offset ${end}` : '; this is the end';
      const text = content.toString('utf8', begin, end);
      return `${text}\n[bytes ${begin} to ${end} of ${content.byteLength}${goesOn}]`;
    },
  });
}

function searchTool(artifacts: ArtifactReader, clock: Clock) {
  return defineTool({
    name: 'search',
    description:
      'Searches a text artifact line by line for a regular expression (RE2 syntax: no look-around, no back ' +
      'references; (?i) ignores case) and returns the offset and the context of each match.',
    input: z.strictObject({
      id,
      pattern: z.string().min(1).max(1000).describe('Regular expression in RE2 syntax'),
    }),
    class: 'read',
    timeoutMs: TIMEOUT_MS,
    run: async (args, context) => {
      const pattern = compilePattern(args.pattern);
      const content = await readContent(artifacts, args.id, context);
      return searchText(content, pattern, { clock, signal: context.signal });
    },
  });
}

/** An artifact of another conversation gives the same answer as one that does not exist. */
async function readContent(artifacts: ArtifactReader, wanted: string, context: ToolContext): Promise<Buffer> {
  const artifact = idSchema.safeParse(wanted).success ? await artifacts.getArtifact(wanted) : null;
  if (artifact?.conversation_id !== context.conversationId)
    throw new ToolError({
      error_type: 'ResourceNotFound',
      error_message: `This conversation has no artifact ${wanted.slice(0, 128)}.`,
    });
  if (!TEXT_TYPE.test(artifact.content_type))
    throw new ToolError({
      error_type: 'ToolExecutionError',
      error_message: `Artifact ${wanted} is ${artifact.content_type}, which has no text to read.`,
    });
  return Buffer.from(artifact.content, 'base64');
}

/** The end of the character that begins at `at`, so that every read makes progress. */
function nextCharacter(content: Buffer, at: number): number {
  let end = Math.min(at + 1, content.byteLength);
  while (end < Math.min(at + 4, content.byteLength) && isContinuation(content[end])) end++;
  return end;
}
