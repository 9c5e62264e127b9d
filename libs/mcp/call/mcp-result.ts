import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolResult } from '#contracts';
import { describeBytes, failure, success, type Attachment, type ToolContext } from '#tools';

type Attach = ToolContext['attach'];

/**
 * A server's answer in our protocol: text blocks joined by newlines, binary content attached and named in brackets;
 * `structuredContent` besides it, and whatever else the server gave; `isError` is a failure with that text.
 */
export async function toMcpResult(
  { content, structuredContent, isError, ...rest }: CallToolResult,
  attach: Attach,
): Promise<ToolResult> {
  const parts: string[] = [];
  // One after the other: together they may be large.
  for (const block of content) parts.push(await describeBlock(block, attach));
  const text = parts.join('\n');
  if (isError) return failure('ToolExecutionError', text || 'The tool failed without saying why.');
  const further = fieldsOf(rest);
  if (structuredContent === undefined)
    return further ? success({ ...further, text: text || JSON.stringify(further) }) : success(text);
  // Old servers repeat the structure as text; new ones may leave the text out, and the model reads text.
  const structured = { text: text || JSON.stringify(structuredContent), structured: structuredContent };
  return success({ ...further, ...structured });
}

/** Keys of the protocol itself. */
const PROTOCOL_KEYS = new Set(['_meta', 'resultType', 'ttlMs', 'cacheScope']);

/** What servers add to the fields of the protocol, for clients that know it. */
function fieldsOf(rest: Record<string, unknown>): Record<string, unknown> | undefined {
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

/** The last part of a URI's path; undefined if it has none. */
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
