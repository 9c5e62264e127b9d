/** A body that cannot be read, as Express' own parsers say it: the filter of problems knows `status`. */
export class BodyError extends Error {
  override name = 'BodyError';

  constructor(
    readonly status: 400 | 413 | 415,
    message: string,
  ) {
    super(message);
  }
}

export class NoJsonError extends BodyError {
  override name = 'NoJsonError';

  constructor() {
    super(400, 'the body is not JSON');
  }
}
