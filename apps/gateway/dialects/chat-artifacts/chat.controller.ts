import { Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { timestampOf, type Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { StreamGuard } from '../../people/auth/stream.guard.js';
import type { User } from '../../people/auth/user.js';
import { Bodies } from '../../door/bodies/bodies.js';
import { endWith, streamResponse } from '../stream/stream-response.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { ChatLines, type ChatForm } from './chat-lines.js';
import { ArtifactChat, type StartedChat } from './artifact-chat.js';
import { LogLines } from './log-lines.js';
import { chatReader } from './read-chat.js';

const DEFAULT_PROVIDER = 'anthropic';
const NDJSON = 'application/x-ndjson';

interface Asked {
  user: User;
  request: Request;
  response: Response;
}

@Controller('api')
@UseGuards(HttpUserGuard, StreamGuard)
export class ArtifactChatController {
  constructor(@FromParts() private readonly dialect: { chat: ArtifactChat; bodies: Bodies; time: Time }) {}

  @Post('chat-artifacts')
  @HttpCode(200)
  artifacts(@CurrentUser() user: User, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer({ user, request, response }, { form: 'lines', tools: true });
  }

  @Post('chat')
  @HttpCode(200)
  whole(@CurrentUser() user: User, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer({ user, request, response }, { form: 'result', tools: true });
  }

  @Post('chat-basic')
  @HttpCode(200)
  basic(@CurrentUser() user: User, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer({ user, request, response }, { form: 'lines', tools: false });
  }

  private async answer(asked: Asked, { form, tools }: { form: ChatForm; tools: boolean }): Promise<void> {
    const { request, response } = asked;
    const { clock, random } = this.dialect.time;
    const { chat, provider } = await this.begin(asked, tools);
    endWith(response, chat.stream);
    const lines = new ChatLines({
      form,
      provider,
      trace: chat.trace,
      logs: new LogLines(chat.trace, clock),
      timestamp: () => timestampOf(clock),
      newId: () => random.id(),
    });
    response.set({
      // Its front end does not request this encoding, but the original server sends it.
      'Content-Type': request.headers.accept?.includes(NDJSON) ? NDJSON : 'application/json',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
      'X-Conversation-Id': chat.conversation_id,
      'X-Turn-Id': chat.turn_id,
    });
    for (const line of lines.opening()) response.write(line);
    await streamResponse(response, chat.stream, {
      clock,
      write: async (news) => {
        const answered = await chat.answered(news);
        const written = lines.next(news, answered);
        if (answered) await chat.remember(lines.said);
        return written;
      },
      keepAlive: '\n',
      broken: ({ message }) => lines.failure(message),
    });
  }

  /** The body is not kept after this point, because the rest takes as long as the turn. */
  private async begin(
    { user, request }: Asked,
    tools: boolean,
  ): Promise<{ chat: StartedChat; provider: string }> {
    const asked = await this.dialect.bodies.read(request, chatReader, user.id);
    const { modelProvider: provider = DEFAULT_PROVIDER } = asked.request;
    return { chat: await this.dialect.chat.start(user, asked, { tools }), provider };
  }
}
