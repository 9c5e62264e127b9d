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
  const { mongodbUrl, dataDir } = loadStoreAddress(environment);
  const address = mongodbUrl ? { url: mongodbUrl, ...systemTime() } : { dataDir };
  const store = createStore({ ...address, isReadOnly: true });
  try {
    await store.open();
  } catch (error) {
    if (error instanceof StoreInUseError) return { kind: 'process', reason: `a process uses ${dataDir}` };
    throw error;
  }
  return { kind: 'store', store, where: mongodbUrl ? 'the store of MONGODB_URL' : dataDir };
}
