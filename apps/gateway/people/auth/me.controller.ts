import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from './http-user.guard.js';
import type { User } from './user.js';

interface Me {
  id: string;
  is_operator: boolean;
  /** That the token or the account names. */
  roles: string[];
}

/** Whom the gateway takes the sender for, with every kind of `AUTH`. */
@Controller('api/me')
@UseGuards(HttpUserGuard)
export class MeController {
  @Get()
  me(@CurrentUser() { id, isOperator, roles }: User): Me {
    return { id, is_operator: isOperator, roles: [...roles] };
  }
}
