export * from './test-ports.js';
