export { FairLine, type Report } from './fair-line.js';
export { LEAST_SHARE, shareOf } from './fair-share.js';
export { OneByOne } from './one-by-one.js';
export { roundRobin } from './round-robin.js';
export { TokenBucket } from './token-bucket.js';
