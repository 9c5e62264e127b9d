import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { OpenLimit } from '../../limits/open-limit.js';
import { FromGateway } from '../../http/from-gateway.decorator.js';
import { countAsStream } from './known-user.js';
import { userOf } from './http-user.guard.js';

/**
 * For requests whose answer takes as long as a turn or a client: counts each for its user until either side closes the
 * response. Runs after `HttpUserGuard` and before any work for the request.
 */
@Injectable()
export class StreamGuard implements CanActivate {
  constructor(@FromGateway() private readonly gateway: { openStreams: OpenLimit }) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const leave = this.gateway.openStreams.enter(userOf(context).id);
    countAsStream(http.getRequest<Request>());
    const response = http.getResponse<Response>();
    // The client left while its user was checked.
    if (response.closed) leave();
    else response.once('close', leave);
    return true;
  }
}
