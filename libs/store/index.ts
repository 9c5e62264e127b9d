export type { DueTurn } from './port/turn-store.port.js';
export type { Inserted, Store, UsageKey, UsageQuery, UsageSum } from './port/store.port.js';
export {
  NoStoreError,
  StoreInUseError,
  StoreSetupError,
  StoreUnavailableError,
  UnreadableRowError,
} from './port/store-errors.js';
export { checkStore } from './check-store.js';
export { createStore } from './create-store.js';
