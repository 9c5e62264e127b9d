import { Controller, Get, UseGuards } from '@nestjs/common';
import { CurrentUser, HttpUserGuard } from './http-user.guard.js';
import type { User } from './user.js';

/** Whom the gateway takes the sender for, with every kind of `AUTH`. */
@Controller('api/me')
@UseGuards(HttpUserGuard)
export class MeController {
  @Get()
  me(@CurrentUser() { id, isOperator }: User): { id: string; is_operator: boolean } {
    return { id, is_operator: isOperator };
  }
}
