/** The broker cannot be used: unreachable at start, wrong credentials, topology refused. */
export class BusSetupError extends Error {
  override name = 'BusSetupError';
}

/**
 * The broker is unreachable or the bus is closed, so the question could not be asked. Says nothing about the answer.
 */
export class BusUnavailableError extends Error {
  override name = 'BusUnavailableError';
}
