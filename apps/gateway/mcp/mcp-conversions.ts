import type { CallToolResult, ContentBlock, ReadResourceResult, Tool } from '@modelcontextprotocol/server';
import {
  isObject,
  plainText,
  type Artifact,
  type ArtifactReference,
  type CatalogTool,
  type ErrorType,
  type Outcome,
} from '#contracts';
import { toModelName } from '#tools';

/** A tool of the fleet as MCP lists it. Its name is the one that models see: 64 characters that all clients accept. */
export function toMcpTool(tool: CatalogTool): Tool {
  return {
    name: toModelName(tool.name),
    title: tool.display_name,
    description: tool.description,
    inputSchema: { ...tool.input_schema, type: 'object' },
    annotations: annotationsOf(tool),
  };
}

/** Annotations from a tool's class: `once` may do anything. */
function annotationsOf({ class: toolClass }: CatalogTool): Tool['annotations'] {
  return { readOnlyHint: toolClass === 'read', idempotentHint: toolClass !== 'once' };
}

const ARTIFACT_URI = 'artifact:///';

/**
 * An outcome in MCP's form: plain text, the structure if there is one, `isError` for a failure; pictures inline, and
 * every other artifact as a link to a resource.
 */
export function toCallToolResult(
  outcome: Outcome,
  pictures: ReadonlyMap<string, Artifact> = new Map(),
): CallToolResult {
  const structured = outcome.data?.structured;
  const kept = (outcome.artifacts ?? []).map((reference) => blockOf(reference, pictures.get(reference.id)));
  return {
    content: [{ type: 'text', text: plainText(outcome) }, ...kept],
    ...(isObject(structured) ? { structuredContent: structured } : {}),
    isError: outcome.status === 'failure',
  };
}

function blockOf(reference: ArtifactReference, picture: Artifact | undefined): ContentBlock {
  const { id, content_type: mimeType, size, name = id } = reference;
  if (picture) return { type: 'image', data: picture.content, mimeType };
  return { type: 'resource_link', uri: ARTIFACT_URI + id, name, mimeType, size };
}

/** Undefined for a foreign URI. */
export function artifactIdOf(uri: string): string | undefined {
  return uri.startsWith(ARTIFACT_URI) ? uri.slice(ARTIFACT_URI.length) : undefined;
}

export function toResource(uri: string, { content, content_type: mimeType }: Artifact): ReadResourceResult {
  const isText = /^text\/|^application\/json\b/.test(mimeType);
  const body = isText ? { text: Buffer.from(content, 'base64').toString('utf8') } : { blob: content };
  return { contents: [{ uri, mimeType, ...body }] };
}

/** The result of a refused call, which never became a tool call. */
export function refusedCall(type: ErrorType, message: string): CallToolResult {
  return { content: [{ type: 'text', text: `${type}: ${message}` }], isError: true };
}
