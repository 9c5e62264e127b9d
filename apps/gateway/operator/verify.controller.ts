import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { verifyPage, type VerifiedPage } from '#journal';
import { OneByOne } from '#limits';
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
  /** Pages may be large, and several checks at once find nothing more. */
  private readonly line = new OneByOne();

  constructor(@FromGateway() private readonly gateway: { store: Store; time: Time }) {}

  @Get()
  verify(
    @Query(new ParsePipe(positionSchema)) position: z.output<typeof positionSchema>,
  ): Promise<VerifiedPage> {
    const { store, time } = this.gateway;
    return this.line.run('', () => verifyPage(store, time.clock, position));
  }
}
