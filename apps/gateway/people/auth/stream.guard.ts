import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { countAsStream } from './known-user.js';
import { userOf } from './http-user.guard.js';
import type { OpenLimit } from '../../limits/open-limit.js';
import { FromGateway } from '../../http/from-gateway.decorator.js';

/**
 * For requests that are answered as long as a turn or a client takes: counts each as its user's until its response is
 * closed by either side. Comes after `HttpUserGuard`, before anything is begun for the request.
 */
@Injectable()
export class StreamGuard implements CanActivate {
  constructor(@FromGateway() private readonly gateway: { openStreams: OpenLimit }) {}

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const leave = this.gateway.openStreams.enter(userOf(context).id);
    countAsStream(http.getRequest<Request>());
    const response = http.getResponse<Response>();
    // A client that has left while it was asked who it is.
    if (response.closed) leave();
    else response.once('close', leave);
    return true;
  }
}
