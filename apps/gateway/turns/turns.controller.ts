import { Body, Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import {
  clientRequestSchemas,
  type CallView,
  type ClientAnswer,
  type Replay,
  type Waiting,
} from '#contracts';
import type { ActionLog } from '#journal';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { Waits } from '../operator/waits.js';
import { Ownership } from './ownership.js';
import { AnswerCalls } from './answer-calls.js';
import { StopTurns } from './stop-turns.js';
import { TurnReader } from './turn-reader.js';

const approvalSchema = clientRequestSchemas.tool_approval.pick({ decision: true });
const inputSchema = clientRequestSchemas.input.omit({ turn_id: true, tool_call_id: true });

@Controller('api/turns')
@UseGuards(HttpUserGuard)
export class TurnsController {
  constructor(
    @FromGateway()
    private readonly gateway: {
      ownership: Ownership;
      stopTurns: StopTurns;
      answerCalls: AnswerCalls;
      turnReader: TurnReader;
      waits: Waits;
      actions: Pick<ActionLog, 'note'>;
    },
  ) {}

  @Post(':id/stop')
  @HttpCode(200)
  async stop(@CurrentUser() user: User, @Param('id') id: string): Promise<ClientAnswer<'stop'>> {
    const turn = await this.gateway.ownership.turn(user, id);
    return { may_be_running: await this.gateway.stopTurns.stop(turn._id) };
  }

  @Get(':id/waiting')
  async waiting(@CurrentUser() user: User, @Param('id') id: string): Promise<{ waiting: Waiting | null }> {
    const turn = await this.gateway.ownership.turn(user, id);
    return { waiting: await this.gateway.waits.why(user, turn._id) };
  }

  /** Played again from the journal: nothing runs. Audited. */
  @Get(':id/replay')
  async replay(@CurrentUser() user: User, @Param('id') id: string): Promise<Replay> {
    const { turnReader, actions } = this.gateway;
    const replay = await turnReader.replay(user, id);
    const { turn_id, conversation_id } = replay;
    actions.note({ audit: 'turn_replayed', user_id: user.id, conversation_id, turn_id });
    return replay;
  }

  @Get(':id/calls/:tool_call_id')
  call(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Param('tool_call_id') toolCallId: string,
  ): Promise<CallView> {
    return this.gateway.turnReader.call(user, id, toolCallId);
  }

  @Post(':id/calls/:tool_call_id/approval')
  @HttpCode(200)
  async approve(
    @CurrentUser() user: User,
    @Param('id') turn_id: string,
    @Param('tool_call_id') tool_call_id: string,
    @Body(new ParsePipe(approvalSchema)) { decision }: z.output<typeof approvalSchema>,
  ): Promise<ClientAnswer<'tool_approval'>> {
    await this.gateway.answerCalls.approve(user, { turn_id, tool_call_id, decision });
    return {};
  }

  @Post(':id/calls/:tool_call_id/input')
  @HttpCode(200)
  async input(
    @CurrentUser() user: User,
    @Param('id') turn_id: string,
    @Param('tool_call_id') tool_call_id: string,
    @Body(new ParsePipe(inputSchema)) given: z.output<typeof inputSchema>,
  ): Promise<ClientAnswer<'input'>> {
    await this.gateway.answerCalls.input(user, { ...given, turn_id, tool_call_id });
    return {};
  }
}
