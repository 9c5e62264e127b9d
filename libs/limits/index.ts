export { FairLine, type Told } from './fair-line.js';
export { LEAST_SHARE, shareOf } from './fair-share.js';
export { oneOfEach } from './one-of-each.js';
export { TokenBucket } from './token-bucket.js';
