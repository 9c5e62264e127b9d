import { ReadBuffer } from '@modelcontextprotocol/client';

const NEWLINE = 0x0a;

/**
 * The SDK's buffer of a server's standard output, without its cost: that copies what it holds for every chunk, which
 * grows with the square of a message's length. Here the chunks of an unfinished line are joined once.
 */
export class LineBuffer extends ReadBuffer {
  private chunks: Buffer[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {
    super({ maxBufferSize: maxBytes });
  }

  /** Throws when a line is over the limit, as the SDK's buffer does; what was read of the line is dropped. */
  override append(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.length += chunk.length;
    if (this.length <= this.maxBytes && !chunk.includes(NEWLINE)) return;
    const lines = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
    this.chunks = [];
    this.length = 0;
    super.append(lines);
  }

  override clear(): void {
    this.chunks = [];
    this.length = 0;
    super.clear();
  }
}
