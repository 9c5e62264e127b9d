import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requestIdOf } from '../../http/request-id.middleware.js';
import { FromGateway } from '../../http/from-gateway.decorator.js';
import { countedSession } from './session-cookie.js';
import { bearerToken, type Authenticate, type User } from './user.js';

type RequestOfUser = Request & { user?: User };

/** Lets a request through once its user is known. */
@Injectable()
export class HttpUserGuard implements CanActivate {
  constructor(@FromGateway() private readonly gateway: { authenticate: Authenticate }) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<RequestOfUser>();
    const token = bearerToken(request.headers.authorization);
    const user = await this.gateway.authenticate(token, countedSession(request));
    const { traceparent } = request.headers;
    request.user = {
      ...user,
      requestId: requestIdOf(http.getResponse<Response>()),
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    };
    return true;
  }
}

/** The user whom `HttpUserGuard` found. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext): User =>
  userOf(context),
);

export function userOf(context: ExecutionContext): User {
  const { user } = context.switchToHttp().getRequest<RequestOfUser>();
  if (!user) throw new Error('no user on the request: HttpUserGuard is missing');
  return user;
}
