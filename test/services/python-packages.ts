import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../docs/documents.js';

/** What CI installs with pip for the worker in Python (`.ci/run`); for `PYTHONPATH`. */
export const PYTHON_PACKAGES = join(root, '.cache/python-worker');

/** Specs of that worker are skipped without it. */
export const hasPythonPackages = existsSync(PYTHON_PACKAGES);
