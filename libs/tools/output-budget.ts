import type { ToolResult } from '#contracts';
import { failure } from './tool-result.js';

/** Bytes of UTF-8 that a result may have in `data`. */
export const MAX_INLINE_BYTES = 32 * 1024;
/** Bytes of UTF-8 that an artifact may have. */
export const MAX_ARTIFACT_BYTES = 8 * 1024 * 1024;
/** Bytes kept of each end of a text that is cut. */
const HEAD_BYTES = 20 * 1024;
const TAIL_BYTES = 8 * 1024;

/** What was too long for `data`: store `text` as an artifact, then settle `withArtifact(its id)`. */
export interface Overflow {
  text: string;
  contentType: 'text/plain' | 'application/json';
  withArtifact(artifactId: string): ToolResult;
}

/**
 * Bounds a result's output. `result` may always be settled as it is; with `overflow` it lost its middle, which the
 * caller keeps as an artifact. Over 8 MiB is a failure.
 */
export function outputBudget(result: ToolResult): { result: ToolResult; overflow?: Overflow } {
  const { data } = result;
  if (!data) return { result };
  const { text, artifacts, ...rest } = data;
  const isText = typeof text === 'string' && Object.keys(rest).length === 0;
  const full = isText ? text : JSON.stringify(data);
  const size = Buffer.byteLength(full);
  if (size <= MAX_INLINE_BYTES) return { result };
  if (size > MAX_ARTIFACT_BYTES) {
    const error = `The tool's output of ${size} bytes is over the limit of ${MAX_ARTIFACT_BYTES} bytes.`;
    return { result: failure('ToolExecutionError', error) };
  }
  const shown = cutMiddle(typeof text === 'string' ? text : full);
  const known = Array.isArray(artifacts) ? artifacts : [];
  const withArtifacts = (ids: unknown[]): ToolResult => ({
    ...result,
    data: ids.length > 0 ? { text: shown, artifacts: ids } : { text: shown },
  });
  return {
    result: withArtifacts(known),
    overflow: {
      text: full,
      contentType: isText ? 'text/plain' : 'application/json',
      withArtifact: (artifactId) => withArtifacts([...known, artifactId]),
    },
  };
}

function cutMiddle(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= MAX_INLINE_BYTES) return text;
  const head = decodeWhole(bytes.subarray(0, HEAD_BYTES));
  const tail = decodeWhole(bytes.subarray(bytes.byteLength - TAIL_BYTES));
  const leftOut = bytes.byteLength - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return `${head}\n[… ${leftOut} of ${bytes.byteLength} bytes left out …]\n${tail}`;
}

/** Without the parts of a character that the cut went through. */
function decodeWhole(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}
