import { parentPort } from 'node:worker_threads';
import type { ValidateFunction } from 'ajv';
import type { ErrorDetail } from '#contracts';
import { SchemaCompiler } from './schema-compiler.js';
import { toValidationError } from './validation-detail.js';

/*
 * Runs in a worker thread: checks arguments against schemas whose check may take for ever. Nobody interrupts it; a
 * thread that takes too long is ended.
 */

/** Everything as JSON: a string is copied faster than the many small objects that it may hold. */
export interface CheckRequest {
  /** Reduced. */
  schema: string;
  /** `$schema`, if it has one. */
  dialect: string;
  args: string;
}

/** The first message is `ready`; then one for each request. */
export type CheckAnswer = 'ready' | { error: ErrorDetail | undefined } | { failed: true };

const MAX_COMPILED = 100;

const compiler = new SchemaCompiler();
const compiled = new Map<string, ValidateFunction>();

parentPort?.on('message', (request: CheckRequest) => parentPort?.postMessage(answer(request)));
compiler.prepare('');
parentPort?.postMessage('ready' satisfies CheckAnswer);

function answer({ schema, dialect, args }: CheckRequest): CheckAnswer {
  try {
    const check = compile(schema, dialect);
    const parsed: unknown = JSON.parse(args);
    return { error: check(parsed) ? undefined : toValidationError(check.errors ?? [], parsed) };
  } catch {
    return { failed: true };
  }
}

function compile(schema: string, dialect: string): ValidateFunction {
  const key = `${dialect} ${schema}`;
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= MAX_COMPILED) {
    compiled.clear();
    compiler.clear();
  }
  const check = compiler.compile(JSON.parse(schema) as Record<string, unknown>, dialect);
  compiled.set(key, check);
  return check;
}
