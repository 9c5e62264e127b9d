/** A body that cannot be read, in the form of Express' own parsers: the problem filter reads `status`. */
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
