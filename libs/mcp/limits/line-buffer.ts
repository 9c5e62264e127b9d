import { ReadBuffer } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const NEWLINE = 0x0a;

/**
 * The SDK's buffer of a server's standard output, at a cost that grows with the message and not with its square: what
 * has no end of a line yet is kept in pieces and joined once.
 */
export class LineBuffer extends ReadBuffer {
  private pieces: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxLength: number) {
    super({ maxBufferSize: maxLength });
  }

  /** Throws when a line is over the limit; what was read of it is dropped. */
  override append(chunk: Buffer): void {
    if (this.length + chunk.length > this.maxLength) {
      this.clear();
      throw new Error(`The server wrote a message of over ${this.maxLength} bytes.`);
    }
    this.pieces.push(chunk);
    this.length += chunk.length;
    if (!chunk.includes(NEWLINE)) return;
    const lines = this.pieces.length === 1 ? chunk : Buffer.concat(this.pieces);
    this.drop();
    super.append(lines);
  }

  override clear(): void {
    this.drop();
    super.clear();
  }

  private drop(): void {
    this.pieces = [];
    this.length = 0;
  }
}

/** The transport has no setting for it; the field is private and the SDK's version pinned. */
export function readLinesWith(transport: StdioClientTransport, buffer: LineBuffer): void {
  Object.assign(transport, { _readBuffer: buffer });
}
