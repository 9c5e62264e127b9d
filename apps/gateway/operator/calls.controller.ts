import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { Calls, type CallsPage } from './calls.js';
import { OperatorGuard } from './operator.guard.js';

const pageSchema = z.object({
  before: wholeNumber(1, 999_999_999, 999_999_999),
  limit: wholeNumber(1, 100, 20),
});

/** The tool calls of a conversation and their outcomes, for operators. */
@Controller('api/admin/conversations/:id/calls')
@UseGuards(HttpUserGuard, OperatorGuard)
export class CallsController {
  constructor(@FromGateway() private readonly gateway: { calls: Calls }) {}

  @Get()
  list(
    @Param('id') id: string,
    @Query(new ParsePipe(pageSchema)) page: z.output<typeof pageSchema>,
  ): Promise<CallsPage> {
    return this.gateway.calls.list(id, page);
  }
}
