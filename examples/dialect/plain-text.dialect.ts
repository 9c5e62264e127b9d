import { Controller, Get, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { clientRequestSchemas } from '#contracts';
import type { Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../apps/gateway/people/auth/http-user.guard.js';
import { StreamGuard } from '../../apps/gateway/people/auth/stream.guard.js';
import type { User } from '../../apps/gateway/people/auth/user.js';
import { AnswerText } from '../../apps/gateway/dialects/stream/answer-text.js';
import type { DialectTurns } from '../../apps/gateway/dialects/host/dialect-turns.js';
import type { Dialect } from '../../apps/gateway/dialects/host/dialect.js';
import { streamResponse } from '../../apps/gateway/dialects/stream/stream-response.js';
import { FromParts } from '../../apps/gateway/http/from-parts.decorator.js';
import { ParsePipe } from '../../apps/gateway/http/parse.pipe.js';
import { toRoutes } from '../../apps/gateway/http/routes.js';

const questionSchema = z.object({ q: clientRequestSchemas.message.shape.content });

/** `curl 'http://localhost:3000/ask?q=hello'`: each request is a conversation, its answer is text as it comes. */
export const plainText: Dialect = {
  name: 'plain-text',
  owns: (path) => path === '/ask',
  sendError: (response, error, status) => void response.status(status).type('text').send(error.message),
  open: ({ dialectTurns: turns, time }) => ({ routes: toRoutes({ turns, time }, [AskController]) }),
};

@Controller('ask')
@UseGuards(HttpUserGuard, StreamGuard)
class AskController {
  constructor(@FromParts() private readonly parts: { turns: DialectTurns; time: Time }) {}

  @Get()
  async ask(
    @CurrentUser() user: User,
    @Query(new ParsePipe(questionSchema)) { q: content }: z.output<typeof questionSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const { turns, time } = this.parts;
    const { stream } = await turns.start(user, { content });
    const text = new AnswerText();
    response.type('text');
    await streamResponse(response, stream, {
      clock: time.clock,
      write: (news) => [text.next(news)],
      broken: (error) => [`\n${error.message}\n`],
    });
  }
}
