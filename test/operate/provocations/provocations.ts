import type { Provocation } from '../provocation.js';
import { processProvocations } from './processes.js';
import { serviceProvocations } from './services.js';
import { toolProvocations } from './tools.js';
import { turnProvocations } from './turns.js';

/** In the order of a run. */
export const PROVOCATIONS: readonly Provocation[] = [
  ...toolProvocations,
  ...turnProvocations,
  ...serviceProvocations,
  ...processProvocations,
];
