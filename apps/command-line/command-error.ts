/** A command that could not be carried out; the message says why, and what to do. */
export class CommandError extends Error {
  override name = 'CommandError';

  /**
   * @param status what a gateway answered, if one did
   * @param exitCode of the command
   */
  constructor(
    message: string,
    readonly status?: number,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
