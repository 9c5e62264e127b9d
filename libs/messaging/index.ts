export * from './bus.port.js';
export * from './bus-errors.js';
