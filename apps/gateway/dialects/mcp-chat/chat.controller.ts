import { Body, Controller, HttpCode, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { CurrentUser, HttpUserGuard } from '../../auth/http-user.guard.js';
import type { User } from '../../auth/user.js';
import { ParsePipe } from '../../http/parse.pipe.js';
import { DialectTurns } from '../dialect-turns.js';
import { streamResponse } from '../stream-response.js';
import { ChatEvents } from './chat-events.js';

const chatSchema = z.object({
  message: z.string().refine((text) => text.trim() !== '', { error: 'must not be blank' }),
});

@Controller('chat')
@UseGuards(HttpUserGuard)
export class ChatController {
  constructor(@Inject(DialectTurns) private readonly turns: DialectTurns) {}

  @Post('stream')
  @HttpCode(200)
  async stream(
    @CurrentUser() user: User,
    @Body(new ParsePipe(chatSchema)) { message }: z.output<typeof chatSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const { conversation_id, turn_id, stream } = await this.turns.start(user, { content: message });
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'X-Conversation-Id': conversation_id,
      'X-Turn-Id': turn_id,
    });
    const events = new ChatEvents();
    const write = events.next.bind(events);
    await streamResponse(response, stream, { write, keepAlive: ': keep-alive\n\n' });
  }
}
