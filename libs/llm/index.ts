export * from './model.port.js';
