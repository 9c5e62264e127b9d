/** The store cannot be reached or did not answer in time; the same operation may be tried again. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** The store is reachable but cannot be used as it is: a missing index, a locked file, wrong credentials. */
export class StoreSetupError extends Error {
  override name = 'StoreSetupError';
}
