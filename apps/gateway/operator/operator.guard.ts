import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { userOf } from '../people/auth/http-user.guard.js';
import { RequestError } from '../errors/request-error.js';

/** After `HttpUserGuard`: lets operators through. */
@Injectable()
export class OperatorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (userOf(context).isOperator) return true;
    throw new RequestError('forbidden', 'Only operators may do this.');
  }
}
