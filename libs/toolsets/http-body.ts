import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

const DECOMPRESS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
}

/** Reads the body, decompressed; throws `BodyTooLargeError` as soon as more than `maxBytes` came, compressed or not. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of unpacked(response) as AsyncIterable<Buffer>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new BodyTooLargeError();
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  return Buffer.concat(chunks);
}

function unpacked(response: IncomingMessage): NodeJS.ReadableStream {
  const decompress = DECOMPRESS.get((response.headers['content-encoding'] ?? '').trim().toLowerCase());
  // The caller gets errors from the stream that it reads.
  return decompress ? pipeline(response, decompress(), () => undefined) : response;
}

/** The text in the character set that the type names; undefined for a body that is not text. */
export function decodeText(body: Buffer, contentType: string): string | undefined {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const isText =
    /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|javascript|x-ndjson|x-yaml)\b)/.test(
      type.trim(),
    ) ||
    (type.trim() === '' && !body.includes(0));
  if (!isText) return undefined;
  const charset = parameters.map((part) => /^\s*charset="?([\w-]+)"?/.exec(part)?.[1]).find(Boolean);
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
