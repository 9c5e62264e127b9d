import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolResult } from '#contracts';
import { describeBytes, failure, success, type Attachment, type ToolContext } from '#tools';
import { readVerdict, withError, withStatus } from './verdict.js';

type Attach = ToolContext['attach'];

/**
 * Translates a server's answer into our protocol: text blocks are joined by newlines, binary content is attached and
 * named in brackets, `structuredContent` and the server's additional fields stand next to the text. `isError` becomes a
 * failure with that text.
 */
export async function toMcpResult(
  { content, structuredContent, isError, ...rest }: CallToolResult,
  attach: Attach,
): Promise<ToolResult> {
  const parts: string[] = [];
  // One at a time: all blocks together may be large.
  for (const block of content) parts.push(await describeBlock(block, attach));
  const text = parts.join('\n');
  const said = readVerdict(rest._meta);
  if (isError)
    return withError(
      failure('ToolExecutionError', text || 'The tool failed without an error message.'),
      said,
    );
  const further = additionalFields(rest);
  if (structuredContent === undefined)
    return withStatus(
      further ? success({ ...further, text: text || JSON.stringify(further) }) : success(text),
      said,
    );
  // Older servers repeat the structure as text. Newer ones may omit the text, which the model needs.
  const structured = { text: text || JSON.stringify(structuredContent), structured: structuredContent };
  return withStatus(success({ ...further, ...structured }), said);
}

/** Fields of the protocol itself. */
const PROTOCOL_KEYS = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

/** Fields that a server adds to those of the protocol, for clients that know them. */
function additionalFields(rest: Record<string, unknown>): Record<string, unknown> | undefined {
  const entries = Object.entries(rest).filter(
    ([key, value]) => !PROTOCOL_KEYS.has(key) && value !== undefined,
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

async function describeBlock(block: ContentBlock, attach: Attach): Promise<string> {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return keep(block.type, block.data, { contentType: block.mimeType }, attach);
    case 'resource_link':
      return `[resource ${block.name} ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      const { uri, mimeType: contentType = 'application/octet-stream' } = resource;
      const kept = await keep('resource', resource.blob, { contentType, name: fileNameOf(uri) }, attach);
      return `${kept.slice(0, -1)}, ${uri}]`;
    }
  }
}

async function keep(
  kind: string,
  base64: string,
  about: Pick<Attachment, 'contentType' | 'name'>,
  attach: Attach,
): Promise<string> {
  const { id, content_type, size } = await attach({ ...about, content: Buffer.from(base64, 'base64') });
  return `[${kind} ${content_type}, ${describeBytes(size)}, artifact ${id}]`;
}

/** The last part of a URI's path; undefined without one. */
function fileNameOf(uri: string): string | undefined {
  const last = uri
    .replace(/[?#].*$/s, '')
    .split('/')
    .at(-1);
  if (!last) return undefined;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
