import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { Approvals, type WaitingApproval } from './approvals.js';

/** What waits for this user to approve it in other people's turns. The answer goes to the call of the turn. */
@Controller('api/approvals')
@UseGuards(HttpUserGuard)
export class ApprovalsController {
  constructor(@FromGateway() private readonly gateway: { approvals: Approvals }) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@CurrentUser() user: User): Promise<{ approvals: WaitingApproval[] }> {
    return { approvals: await this.gateway.approvals.list(user) };
  }
}
