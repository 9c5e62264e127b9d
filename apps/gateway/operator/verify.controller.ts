import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { verifyPage, type VerifiedPage } from '#journal';
import type { Store } from '#store';
import type { Time } from '#time';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OperatorGuard } from './operator.guard.js';

const positionSchema = z.object({
  conversation: z.string().max(1_024).default(''),
  before: wholeNumber(1, 999_999_999, 0).transform((before) => before || undefined),
});

/** The invariants of `docs/guarantees.md`, checked page by page, for operators: ids only. */
@Controller('api/admin/verify')
@UseGuards(HttpUserGuard, OperatorGuard)
export class VerifyController {
  constructor(@FromGateway() private readonly gateway: { store: Store; time: Time }) {}

  @Get()
  verify(
    @Query(new ParsePipe(positionSchema)) position: z.output<typeof positionSchema>,
  ): Promise<VerifiedPage> {
    return verifyPage(this.gateway.store, this.gateway.time.clock, position);
  }
}
