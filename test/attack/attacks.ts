import type { Attack } from './attack.js';
import { halfSent } from './half-sent.attack.js';

/** In the order of docs/security.md. */
export const ATTACKS: readonly Attack[] = [halfSent];
