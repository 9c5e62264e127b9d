import type { IncomingMessage } from 'node:http';
import { isUtf8 } from 'node:buffer';
import { Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BodyError } from '../../errors/body-error.js';
import { JsonMeter } from './json-meter.js';

const SLAB_BYTES = 1024 * 1024;
const FIRST_SLAB_BYTES = 16 * 1024;
const NOTHING = new Uint8Array(0);

/** A body as it came, unpacked and in UTF-8; its memory can be handed over to a thread. */
export interface ReceivedBody {
  slabs: Uint8Array<ArrayBuffer>[];
  bytes: number;
  meter: JsonMeter;
}

export interface ReceiveOptions {
  /** Of the body as it is sent, and as it is unpacked: what unpacks to nothing must end, too. */
  maxBytes: number;
  /** Called with all bytes so far before they are kept; what it throws ends the reading. */
  grow(bytes: number): void;
}

/** Reads a body of JSON without parsing it. Rejects with `BodyError`, or what `grow` throws. */
export async function receiveBody(
  request: IncomingMessage,
  { maxBytes, grow }: ReceiveOptions,
): Promise<ReceivedBody> {
  const toUtf8 = transcoderOf(request);
  const stream = unpacked(request);
  const body: ReceivedBody = { slabs: [], bytes: 0, meter: new JsonMeter() };
  let used = 0;
  const keep = (chunk: Uint8Array) => {
    const bytes = body.bytes + chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    grow(bytes);
    body.bytes = bytes;
    body.meter.add(chunk);
    for (let from = 0; from < chunk.length;) {
      let slab = body.slabs.at(-1);
      if (!slab || used === slab.length) {
        slab = new Uint8Array(slab ? SLAB_BYTES : firstSlabBytes(request));
        body.slabs.push(slab);
        used = 0;
      }
      const part = chunk.subarray(from, from + slab.length - used);
      slab.set(part, used);
      used += part.length;
      from += part.length;
    }
  };
  await readAll(request, stream, { maxBytes, take: (chunk) => keep(toUtf8(chunk)) });
  keep(toUtf8());
  const last = body.slabs.pop();
  if (last) body.slabs.push(last.subarray(0, used));
  return body;
}

/** The text, without the mark that some programs begin a file with. Throws `BodyError` for what is no UTF-8. */
export function textOf(slabs: readonly Uint8Array[]): string {
  const bytes =
    slabs.length === 1 ? Buffer.from(slabs[0]!.buffer, 0, slabs[0]!.length) : Buffer.concat(slabs);
  if (!isUtf8(bytes)) throw new BodyError(400, 'the body is not UTF-8');
  const text = bytes.toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

export function tooLarge(): BodyError {
  return new BodyError(413, 'the body is too large');
}

function firstSlabBytes({ headers }: IncomingMessage): number {
  const length = Number(headers['content-length'] ?? FIRST_SLAB_BYTES);
  return Math.min(Math.max(length, 1), SLAB_BYTES);
}

function readAll(
  request: IncomingMessage,
  stream: IncomingMessage | Duplex,
  { maxBytes, take }: { maxBytes: number; take(chunk: Buffer): void },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const end = (settle: () => void) => {
      stream.off('data', onData).off('end', onEnd).off('error', onError);
      request.off('data', onSent).off('close', onClose);
      if (stream instanceof Duplex) {
        request.unpipe(stream);
        stream.on('error', () => undefined).destroy();
      }
      settle();
    };
    const refuse = (error: Error) => {
      request.pause();
      end(() => reject(error));
    };
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    };
    const onSent = ({ length }: Buffer) => {
      sent += length;
      if (sent > maxBytes) refuse(tooLarge());
    };
    const onEnd = () => end(resolve);
    const onError = () => end(() => reject(new BodyError(400, 'the body could not be unpacked')));
    const onClose = () => {
      if (!request.readableEnded) end(() => reject(new BodyError(400, 'the client left')));
    };
    stream.on('data', onData).on('end', onEnd).on('error', onError);
    request.on('data', onSent).on('close', onClose);
    if (stream instanceof Duplex) request.pipe(stream);
  });
}

function unpacked(request: IncomingMessage): IncomingMessage | Duplex {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase();
  switch (encoding) {
    case 'identity':
      return request;
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new BodyError(415, 'this content encoding is not supported');
  }
}

/** JSON is UTF-8 (RFC 8259); UTF-16 is what some old clients send and say. At the end it is called with nothing. */
function transcoderOf({ headers }: IncomingMessage): (chunk?: Uint8Array) => Uint8Array {
  const charset =
    /;\s*charset="?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8') return (chunk = NOTHING) => chunk;
  if (!/^utf-16(le|be)?$/.test(charset)) throw new BodyError(415, 'this charset is not supported');
  const decoder = new TextDecoder(charset);
  return (chunk) => Buffer.from(decoder.decode(chunk, { stream: chunk !== undefined }));
}
