import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { UsageReader, type OwnUsageBody } from './usage.js';
import { ownUsageSchema } from './usage-query.js';

@Controller('api/usage')
@UseGuards(HttpUserGuard)
export class UsageController {
  constructor(@FromGateway() private readonly gateway: { usage: UsageReader }) {}

  @Get()
  own(
    @CurrentUser() user: User,
    @Query(new ParsePipe(ownUsageSchema)) query: z.output<typeof ownUsageSchema>,
  ): Promise<OwnUsageBody> {
    return this.gateway.usage.own(user, query);
  }
}
