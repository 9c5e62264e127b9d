/** The store is unreachable or did not answer in time; the same operation may be retried. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** The store is reachable but unusable: a missing index, a locked file, wrong credentials. */
export class StoreSetupError extends Error {
  override name = 'StoreSetupError';
}
