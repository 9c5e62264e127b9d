export * from './store.port.js';
export * from './store-errors.js';
export * from './create-store.js';
