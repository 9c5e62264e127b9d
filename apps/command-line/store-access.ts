import { loadStoreAddress, type Environment } from '#bootstrap';
import { createStore, StoreInUseError, type Store } from '#store';
import { systemTime } from '#time';

/** The store itself, or the running process that has it. */
export type StoreAccess =
  | { kind: 'store'; store: Store; where: string }
  /** `reason`: why not the store. */
  | { kind: 'process'; reason: string };

/**
 * Opens the store of the configuration to read it: the one of MONGODB_URL, or the file in DATA_DIR. The file of a
 * running process is locked, so that process has to be asked; so it has with `--url`. Nothing is created or changed.
 * Throws `ConfigError` and the store's errors.
 */
export async function openStoreToRead(environment: Environment, isUrlGiven: boolean): Promise<StoreAccess> {
  if (isUrlGiven) return { kind: 'process', reason: '--url is given' };
  const { dataDir, where, address } = addressOf(environment);
  const store = createStore({ ...address, isReadOnly: true });
  try {
    await store.open();
  } catch (error) {
    if (error instanceof StoreInUseError) return { kind: 'process', reason: `a process uses ${dataDir}` };
    throw error;
  }
  return { kind: 'store', store, where };
}

/** Opens the same store to write to it, for as long as `use` takes. It must exist: a missing one would be created. */
export async function writeToStore(
  environment: Environment,
  use: (store: Store) => Promise<void>,
): Promise<void> {
  const store = createStore(addressOf(environment).address);
  await store.open();
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

function addressOf(environment: Environment) {
  const { mongodbUrl, dataDir } = loadStoreAddress(environment);
  const where = mongodbUrl ? 'the store of MONGODB_URL' : dataDir;
  return { dataDir, where, address: mongodbUrl ? { url: mongodbUrl, ...systemTime() } : { dataDir } };
}
