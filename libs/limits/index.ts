export * from './fair-line.js';
export * from './fair-share.js';
export * from './token-bucket.js';
