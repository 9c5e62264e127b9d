export type { Inserted, Store, UsageKey, UsageQuery, UsageSum } from './store.port.js';
export { StoreSetupError, StoreUnavailableError } from './store-errors.js';
export { createStore } from './create-store.js';
