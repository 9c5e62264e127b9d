import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { StreamGuard } from '../../people/auth/stream.guard.js';
import type { User } from '../../people/auth/user.js';
import { Bodies } from '../../door/bodies/bodies.js';
import { endWith, streamResponse } from '../stream/stream-response.js';
import type { TurnNews } from '../stream/turn-stream.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { toData, type AgUiEvent } from './ag-ui-event.js';
import { RunEvents } from './run-events.js';
import { runReader } from './run-input.js';
import { Runs, type StartedRun } from './runs.js';

@Controller('ag-ui')
@UseGuards(HttpUserGuard, StreamGuard)
export class RunController {
  constructor(@FromParts() private readonly dialect: { runs: Runs; bodies: Bodies; time: Time }) {}

  @Post()
  @HttpCode(200)
  async run(@CurrentUser() user: User, @Req() request: Request, @Res() response: Response): Promise<void> {
    const input = await this.dialect.bodies.read(request, runReader, user.id);
    const started = await this.dialect.runs.start(user, input);
    endWith(response, started.stream);
    const { conversation_id, turn_id, alreadySent, earlier, known } = started;
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Conversation-Id': conversation_id,
      'X-Turn-Id': turn_id,
    });
    const { threadId, runId } = input;
    const events = new RunEvents({ threadId, runId, conversation_id, turn_id }, alreadySent);
    // A queued client learns immediately that it is in the queue.
    for (const event of events.begin(earlier, known)) response.write(toData(event));
    await streamResponse(response, started.stream, {
      clock: this.dialect.time.clock,
      keepAlive: ': keep-alive\n\n',
      write: async (news) => (await this.write(news, events, started)).map(toData),
      broken: (error) => [toData(events.fail(error.message, error.code))],
    });
  }

  private async write(news: TurnNews, events: RunEvents, started: StartedRun): Promise<AgUiEvent[]> {
    const { turn_id, stream } = started;
    if (news.type === 'step_restarted')
      return events.restart(await this.dialect.runs.messages(started, news.step));
    const told = events.next(news);
    if ((news.type !== 'call_asks' && news.type !== 'call_ended') || !events.mayWait) return told;
    const interrupts = await this.dialect.runs.interrupts(turn_id);
    const asking = interrupts.map(({ toolCallId }) => toolCallId);
    if (asking.length === 0 || !events.waitsOnlyFor(asking)) return told;
    stream.close();
    return [...told, ...events.interrupt(interrupts)];
  }
}
