import { Controller, Get, Param, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import type { FleetState, ListedTurn, TurnTimeline } from '#contracts';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { FleetReader } from './fleet-reader.js';
import { OperatorGuard } from './operator.guard.js';
import { Waits } from './waits.js';

const pageSchema = z.object({ limit: wholeNumber(1, 100, 20) });

/** Processes, toolsets, queues, and the turns that wait, for operators: never what people or models wrote. */
@Controller('api/admin')
@UseGuards(HttpUserGuard, OperatorGuard)
export class FleetController {
  constructor(@FromGateway() private readonly gateway: { fleet: FleetReader; waits: Waits }) {}

  @Get('status')
  status(): Promise<FleetState> {
    return this.gateway.fleet.read();
  }

  @Get('turns')
  turns(@Query(new ParsePipe(pageSchema)) { limit }: z.output<typeof pageSchema>): Promise<ListedTurn[]> {
    return this.gateway.waits.list(limit);
  }

  @Get('turns/:id/timeline')
  timeline(@CurrentUser() operator: User, @Param('id') id: string): Promise<TurnTimeline> {
    return this.gateway.waits.timeline(operator, id);
  }
}
