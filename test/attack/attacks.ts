import type { Attack } from './attack.js';
import { deadLetters } from './dead-letters.attack.js';
import { greedyUser } from './greedy-user.attack.js';
import { halfSent } from './half-sent.attack.js';
import { idleSockets } from './idle-sockets.attack.js';
import { importedHistory } from './imported-history.attack.js';
import { largeBodies } from './large-bodies.attack.js';
import { largeReads } from './large-reads.attack.js';
import { leftRequests } from './left-requests.attack.js';
import { models } from './models.attack.js';
import { registration } from './registration.attack.js';
import { signIn } from './sign-in.attack.js';
import { slowArguments } from './slow-arguments.attack.js';
import { socketFloods } from './socket-floods.attack.js';

/** In the order of docs/security.md. */
export const ATTACKS: readonly Attack[] = [
  socketFloods,
  halfSent,
  idleSockets,
  largeBodies,
  signIn,
  registration,
  slowArguments,
  leftRequests,
  greedyUser,
  importedHistory,
  largeReads,
  deadLetters,
  models,
];
