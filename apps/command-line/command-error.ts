/** A command that could not be carried out; the message says why, and what to do. */
export class CommandError extends Error {
  override name = 'CommandError';

  /** `status` is what a gateway answered, if one did. */
  constructor(
    message: string,
    readonly status?: number,
  ) {
    super(message);
  }
}
