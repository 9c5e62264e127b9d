import { Controller, Get, Inject, Query, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { CurrentUser, HttpUserGuard } from '../auth/http-user.guard.js';
import type { User } from '../auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { UsageReader, type OwnUsageBody } from './usage.js';
import { ownUsageSchema } from './usage-query.js';

@Controller('api/usage')
@UseGuards(HttpUserGuard)
export class UsageController {
  constructor(@Inject(UsageReader) private readonly usage: UsageReader) {}

  @Get()
  own(
    @CurrentUser() user: User,
    @Query(new ParsePipe(ownUsageSchema)) query: z.output<typeof ownUsageSchema>,
  ): Promise<OwnUsageBody> {
    return this.usage.own(user, query);
  }
}
