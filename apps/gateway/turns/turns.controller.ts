import { Controller, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common';
import type { CallView, ClientAnswer } from '#contracts';
import { CurrentUser, HttpUserGuard } from '../auth/http-user.guard.js';
import type { User } from '../auth/user.js';
import { Ownership } from '../conversations/ownership.js';
import { StopTurns } from './stop-turns.js';
import { TurnReader } from './turn-reader.js';

@Controller('api/turns')
@UseGuards(HttpUserGuard)
export class TurnsController {
  constructor(
    @Inject(Ownership) private readonly ownership: Ownership,
    @Inject(StopTurns) private readonly stopTurns: StopTurns,
    @Inject(TurnReader) private readonly turns: TurnReader,
  ) {}

  @Post(':id/stop')
  @HttpCode(200)
  async stop(@CurrentUser() user: User, @Param('id') id: string): Promise<ClientAnswer<'stop'>> {
    const turn = await this.ownership.turn(user, id);
    return { may_be_running: await this.stopTurns.stop(turn._id) };
  }

  @Get(':id/calls/:tool_call_id')
  call(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Param('tool_call_id') toolCallId: string,
  ): Promise<CallView> {
    return this.turns.call(user, id, toolCallId);
  }
}
