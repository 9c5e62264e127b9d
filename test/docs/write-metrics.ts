import { writeFile } from 'node:fs/promises';
import { METRICS_PATH, metricsDocument } from './metrics-document.js';

/* `npm run metrics`: writes docs/metrics.md from the definitions. */
await writeFile(METRICS_PATH, await metricsDocument());
