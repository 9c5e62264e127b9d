import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { parseRequest } from '../../http/parse.pipe.js';

const sessionSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, { error: 'X-Session-Id: 1 to 64 letters, digits, - or _' })
  .default('default');

/** The connection of the user to which a request belongs. */
export const CurrentSession = createParamDecorator((_data: unknown, context: ExecutionContext): string => {
  const { headers } = context.switchToHttp().getRequest<Request>();
  return parseRequest(sessionSchema, headers['x-session-id']);
});
