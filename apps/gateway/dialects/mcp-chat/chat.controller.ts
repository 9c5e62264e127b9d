import { Body, Controller, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import type { Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { StreamGuard } from '../../people/auth/stream.guard.js';
import type { User } from '../../people/auth/user.js';
import { ParsePipe } from '../../http/parse.pipe.js';
import type { StartedTurn } from '../host/dialect-turns.js';
import { endWith, streamResponse } from '../stream/stream-response.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { ChatAnswer } from './chat-answer.js';
import { chatEventsOf, toErrorEvent } from './chat-events.js';
import { Connections } from './connections.js';
import { CurrentSession } from './current-session.pipe.js';

const chatSchema = z.object({
  message: z.string().refine((text) => text.trim() !== '', { error: 'must not be blank' }),
});
type Chat = z.output<typeof chatSchema>;

@Controller('chat')
@UseGuards(HttpUserGuard, StreamGuard)
export class ChatController {
  constructor(@FromParts() private readonly dialect: { connections: Connections; time: Time }) {}

  @Post()
  @HttpCode(200)
  async chat(
    @CurrentUser() user: User,
    @CurrentSession() session: string,
    @Body(new ParsePipe(chatSchema)) { message }: Chat,
    @Res() response: Response,
  ): Promise<void> {
    const started = await this.dialect.connections.chat(user, session, message);
    endWith(response, started.stream);
    nameTurn(response, started);
    const answer = new ChatAnswer();
    for await (const news of started.stream) {
      const answered = answer.next(news);
      if (answered) response.status(answered.status).json(answered.body);
    }
  }

  @Post('stream')
  @HttpCode(200)
  async stream(
    @CurrentUser() user: User,
    @CurrentSession() session: string,
    @Body(new ParsePipe(chatSchema)) { message }: Chat,
    @Res() response: Response,
  ): Promise<void> {
    const started = await this.dialect.connections.chat(user, session, message);
    endWith(response, started.stream);
    nameTurn(response, started);
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    await streamResponse(response, started.stream, {
      clock: this.dialect.time.clock,
      write: chatEventsOf,
      keepAlive: ': keep-alive\n\n',
      broken: ({ message }) => [toErrorEvent(message)],
    });
  }
}

function nameTurn(response: Response, { conversation_id, turn_id }: StartedTurn): void {
  response.set({ 'X-Conversation-Id': conversation_id, 'X-Turn-Id': turn_id });
}
