import { Controller, Delete, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import type { ListedLetter, ShownLetter } from '#contracts';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { DeadLetters } from './dead-letters.js';
import { OperatorGuard } from './operator.guard.js';

const pageSchema = z.object({ limit: wholeNumber(1, 500, 100) });

/** Messages that the broker gave up on, for operators. */
@Controller('api/admin/dead-letters')
@UseGuards(HttpUserGuard, OperatorGuard)
export class DeadLettersController {
  constructor(@FromGateway() private readonly gateway: { deadLetters: DeadLetters }) {}

  @Get()
  list(@Query(new ParsePipe(pageSchema)) { limit }: z.output<typeof pageSchema>): Promise<ListedLetter[]> {
    return this.gateway.deadLetters.list(limit);
  }

  @Get(':id')
  show(@Param('id') id: string): Promise<ShownLetter> {
    return this.gateway.deadLetters.show(id);
  }

  @Post(':id/replay')
  @HttpCode(200)
  replay(@CurrentUser() user: User, @Param('id') id: string): Promise<ListedLetter> {
    return this.gateway.deadLetters.replay(user, id);
  }

  @Delete(':id')
  @HttpCode(204)
  discard(@CurrentUser() user: User, @Param('id') id: string): Promise<void> {
    return this.gateway.deadLetters.discard(user, id);
  }
}
