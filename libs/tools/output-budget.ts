import type { ToolResult } from '#contracts';
import { MAX_ARTIFACT_BYTES, tooLarge } from './make-artifact.js';
import { toModelName } from './names.js';
import { toFailure } from './tool-result.js';
import type { Attachment } from './tool.port.js';

/** The maximum bytes of UTF-8 in a result's `data`. */
export const MAX_INLINE_BYTES = 32 * 1024;
/** The shares of the budget for each end of a cut text, and for the artifacts that it names. */
const HEAD_SHARE = 5 / 8;
const TAIL_SHARE = 1 / 4;
const NAMES_SHARE = 1 / 16;

/** Output too long for `data`: store `whole` as an artifact, then settle `withArtifact(its id)`. */
export interface Overflow {
  whole: Attachment;
  withArtifact(artifactId: string): ToolResult;
}

/**
 * Bounds a result's output. `result` may always be settled as it is. With `overflow` it has lost its middle, which the
 * caller stores as an artifact. Output over 8 MiB is a failure.
 */
export function outputBudget(
  result: ToolResult,
  maxBytes = MAX_INLINE_BYTES,
): { result: ToolResult; overflow?: Overflow } {
  const { data } = result;
  if (!data) return { result };
  const { text, ...rest } = data;
  const own = namedArtifacts(data, maxBytes);
  const isText = typeof text === 'string' && Object.keys(rest).length === Object.keys(own).length;
  const full = isText ? text : JSON.stringify(data);
  const size = Buffer.byteLength(full);
  if (size <= maxBytes) return { result };
  if (size > MAX_ARTIFACT_BYTES) return { result: toFailure(tooLarge(size)) };
  const cut = (artifactId?: string): ToolResult => ({
    ...result,
    data: { text: cutMiddle(typeof text === 'string' ? text : full, maxBytes, artifactId), ...own },
  });
  const whole = isText
    ? { content: full, contentType: 'text/plain', name: 'output.txt' }
    : { content: full, contentType: 'application/json', name: 'output.json' };
  return { result: cut(), overflow: { whole, withArtifact: cut } };
}

/** A cut result keeps the artifacts that it names itself, unless these alone would be too long. */
function namedArtifacts({ artifacts }: Record<string, unknown>, maxBytes: number): { artifacts?: unknown } {
  if (artifacts === undefined) return {};
  return Buffer.byteLength(JSON.stringify(artifacts)) > maxBytes * NAMES_SHARE ? {} : { artifacts };
}

function cutMiddle(text: string, maxBytes: number, artifactId: string | undefined): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes)
    return artifactId === undefined ? text : `${text}\n[… more ${whereIs(artifactId)} …]`;
  const head = decodeWhole(bytes.subarray(0, Math.floor(maxBytes * HEAD_SHARE)));
  const tail = decodeWhole(bytes.subarray(bytes.byteLength - Math.floor(maxBytes * TAIL_SHARE)));
  const leftOut = bytes.byteLength - Buffer.byteLength(head) - Buffer.byteLength(tail);
  const rest = artifactId === undefined ? '' : `; all of it ${whereIs(artifactId)}`;
  return `${head}\n[… ${leftOut} of ${bytes.byteLength} bytes left out${rest} …]\n${tail}`;
}

/** Tells the model how to read the rest. */
function whereIs(artifactId: string): string {
  const [read, search] = [toModelName('artifacts.read'), toModelName('artifacts.search')];
  return `is artifact ${artifactId}, see ${read} and ${search}`;
}

/** Drops the parts of a character that was cut through. */
function decodeWhole(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\ufffd+|\ufffd+$/g, '');
}
