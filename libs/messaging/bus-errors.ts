/** The broker cannot be used: unreachable at start, wrong credentials, topology refused. */
export class BusSetupError extends Error {
  override name = 'BusSetupError';
}
