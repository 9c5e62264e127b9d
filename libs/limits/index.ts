export * from './fair-line.js';
export * from './fair-share.js';
export * from './one-of-each.js';
export * from './token-bucket.js';
