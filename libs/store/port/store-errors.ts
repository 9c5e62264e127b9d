/** The store is unreachable or did not answer in time; the same operation may be retried. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** The store is reachable but unusable: a missing index, a locked file, wrong credentials. */
export class StoreSetupError extends Error {
  override name = 'StoreSetupError';
}

/** Nothing has been stored yet, or DATA_DIR names another folder. */
export class NoStoreError extends StoreSetupError {}

/** Another process has the data folder. */
export class StoreInUseError extends StoreSetupError {}

/**
 * A stored row is not what any version has written: someone else has changed the store. What it holds is left out,
 * because people may have written it.
 */
export class UnreadableRowError extends Error {
  override name = 'UnreadableRowError';
}
