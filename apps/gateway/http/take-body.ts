import type { z } from 'zod';
import { parseRequest } from './parse.pipe.js';

/**
 * The body of a request, which the request then has no longer: for a handler that waits for a turn and may be sent
 * much. What Nest gives a handler as `@Body()` it holds as long as the handler runs.
 */
export function takeBody<Schema extends z.ZodType>(
  request: { body?: unknown },
  schema: Schema,
): z.output<Schema> {
  const { body } = request;
  request.body = undefined;
  return parseRequest(schema, body);
}
