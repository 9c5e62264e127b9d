import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { UsageReader, type UsageBody } from '../usage/usage.js';
import { allUsageSchema } from '../usage/usage-query.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OperatorGuard } from './operator.guard.js';

/** The model usage of all users, for operators. */
@Controller('api/admin/usage')
@UseGuards(HttpUserGuard, OperatorGuard)
export class AllUsageController {
  constructor(@FromGateway() private readonly gateway: { usage: UsageReader }) {}

  @Get()
  read(@Query(new ParsePipe(allUsageSchema)) query: z.output<typeof allUsageSchema>): Promise<UsageBody> {
    return this.gateway.usage.read(query);
  }
}
