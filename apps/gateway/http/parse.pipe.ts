import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { describeIssues, isWithinDepth, MAX_DEPTH } from '#contracts';
import { RequestError } from '../errors/request-error.js';

/**
 * Parses a body, query or frame by its schema. Depth is checked first, because deep values must not reach recursive
 * code.
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  if (!isWithinDepth(value))
    throw new RequestError('invalid', `The request is nested deeper than ${MAX_DEPTH} levels.`);
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new RequestError('invalid', describeIssues(parsed.error));
  return parsed.data;
}

/** `@Body(new ParsePipe(schema))`. */
export class ParsePipe<Schema extends z.ZodType> implements PipeTransform<unknown, z.output<Schema>> {
  constructor(private readonly schema: Schema) {}

  transform(value: unknown): z.output<Schema> {
    return parseRequest(this.schema, value);
  }
}
