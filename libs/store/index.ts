export type { Inserted, Store, UsageKey, UsageQuery, UsageSum } from './port/store.port.js';
export { StoreSetupError, StoreUnavailableError } from './port/store-errors.js';
export { createStore } from './create-store.js';
