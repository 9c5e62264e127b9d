import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import type { ToolResult } from '#contracts';
import { failure, success } from '#tools';

/**
 * A server's answer in our protocol: text blocks joined by newlines, everything else named in brackets;
 * `structuredContent` beside it; `isError` is a failure with that text.
 */
export function toMcpResult({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const text = content.map(describeBlock).join('\n');
  if (isError) return failure('ToolExecutionError', text || 'The tool failed without saying why.');
  if (structuredContent === undefined) return success(text);
  // Old servers repeat the structure as text; new ones may leave the text out, and the model reads text.
  return success({ text: text || JSON.stringify(structuredContent), structured: structuredContent });
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${describeSize(block.data)}]`;
    case 'resource_link':
      return `[resource ${block.name} ${block.uri}]`;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      return `[resource ${resource.mimeType ?? 'application/octet-stream'} ${resource.uri}, ${describeSize(resource.blob)}]`;
    }
  }
}

function describeSize(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, '').length * 3) / 4);
  return bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`;
}
