import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { MessageType } from '#contracts';
import { messageName, publishedPath } from './published-schemas.js';

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajvFormats.default(ajv);
const validators = new Map<MessageType, ValidateFunction>();

export function readPublished(name: string): object {
  return JSON.parse(readFileSync(publishedPath(name), 'utf8')) as object;
}

/** What is wrong with the message by the schema in docs/schemas: empty if nothing is. */
export function problemsOf(type: MessageType, message: unknown): string[] {
  const validate = validators.get(type) ?? ajv.compile(readPublished(messageName(type)));
  validators.set(type, validate);
  return validate(message) ? [] : validate.errors!.map((error) => `${error.instancePath} ${error.message}`);
}
