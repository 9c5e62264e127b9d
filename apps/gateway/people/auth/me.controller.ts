import { Controller, Get, UseGuards } from '@nestjs/common';
import { FromGateway } from '../../http/from-gateway.decorator.js';
import { CurrentUser, HttpUserGuard } from './http-user.guard.js';
import type { User } from './user.js';

interface Me {
  id: string;
  is_operator: boolean;
  /** That the token or the account names. */
  roles: string[];
  /** Calls of other users may wait for one of these roles. */
  may_approve: boolean;
}

/** Whom the gateway takes the sender for, with every kind of `AUTH`. */
@Controller('api/me')
@UseGuards(HttpUserGuard)
export class MeController {
  constructor(
    @FromGateway()
    private readonly gateway: { otherApprovers: { isOne(user: User): Promise<boolean> } },
  ) {}

  @Get()
  async me(@CurrentUser() user: User): Promise<Me> {
    const { id, isOperator, roles } = user;
    const may_approve = await this.gateway.otherApprovers.isOne(user);
    return { id, is_operator: isOperator, roles: [...roles], may_approve };
  }
}
