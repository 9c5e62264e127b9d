/** The broker cannot be used: unreachable at start, wrong credentials, topology refused. */
export class BusSetupError extends Error {
  override name = 'BusSetupError';
}

/** The question could not be asked: the broker is away, or the bus is closed. Says nothing about the answer. */
export class BusUnavailableError extends Error {
  override name = 'BusUnavailableError';
}
