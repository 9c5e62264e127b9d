import type { Attack } from './attack.js';
import { halfSent } from './half-sent.attack.js';
import { leftRequests } from './left-requests.attack.js';
import { signIn } from './sign-in.attack.js';
import { slowArguments } from './slow-arguments.attack.js';

/** In the order of docs/security.md. */
export const ATTACKS: readonly Attack[] = [halfSent, signIn, slowArguments, leftRequests];
