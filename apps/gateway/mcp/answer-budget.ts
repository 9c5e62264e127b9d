import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

const MAX_BYTES = 16 * 1024 * 1024;
const TOO_MUCH = 'The answers of this batch are too large together. Send this request alone.';

/**
 * The size of all answers to one HTTP request together: a batch must not collect more than its requests alone would.
 */
export class AnswerBudget {
  private left = MAX_BYTES;
  private latest: Promise<unknown> = Promise.resolve();

  /**
   * Reads one after another, so that nothing is read once the budget is spent: then it throws `ProtocolError`. The
   * first is always read.
   */
  read<T>(read: () => T | Promise<T>, sizeOf: (value: T) => number): Promise<T> {
    const reading = this.latest.then(async () => {
      if (this.left <= 0) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, TOO_MUCH);
      const value = await read();
      this.left -= sizeOf(value);
      return value;
    });
    this.latest = reading.catch(() => undefined);
    return reading;
  }

  /** Whether there is room for this much, which is then taken. */
  reserve(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }
}
