export * from './token-bucket.js';
