import { Controller, Headers, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientMessageIdSchema, type StopReason, type TurnView } from '#contracts';
import type { Time } from '#time';
import { CurrentUser, HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { StreamGuard } from '../../people/auth/stream.guard.js';
import type { User } from '../../people/auth/user.js';
import { Bodies } from '../../door/bodies/bodies.js';
import { isNotFound } from '../../errors/request-error.js';
import { TurnReader } from '../../turns/turn-reader.js';
import { answerOf } from '../stream/answer-text.js';
import { DialectTurns, type StartedTurn } from '../host/dialect-turns.js';
import { endWith, streamResponse } from '../stream/stream-response.js';
import { UnnamedTurns, type UnnamedTurn } from '../identity/unnamed-turns.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { pendingCallComment, toCompletion } from './completion.js';
import { serverStopping } from './completion-end.js';
import { CompletionChunks, type CompletionHead } from './completion-chunks.js';
import { completionReader, type CompletionRequest } from './completion-request.js';
import { OpenAiRefusal } from './openai-error.js';

type Started = StartedTurn & Partial<Pick<UnnamedTurn, 'remember'>>;

@Controller('v1/chat/completions')
@UseGuards(HttpUserGuard, StreamGuard)
export class CompletionsController {
  constructor(
    @FromParts()
    private readonly dialect: {
      turns: DialectTurns;
      unnamed: UnnamedTurns;
      bodies: Bodies;
      reader: TurnReader;
      time: Time;
    },
  ) {}

  @Post()
  @HttpCode(200)
  async complete(
    @CurrentUser() user: User,
    @Req() asked: Request,
    @Headers() headers: Record<string, string | undefined>,
    @Res() response: Response,
  ): Promise<void> {
    const request = await this.dialect.bodies.read(asked, completionReader, user.id);
    const started = await this.start(user, request, headers);
    endWith(response, started.stream);
    const { conversation_id, turn_id } = started;
    // Clients retry failures automatically, but the turn has already run, and its tools with it.
    response.set({
      'X-Conversation-Id': conversation_id,
      'X-Turn-Id': turn_id,
      'X-Should-Retry': 'false',
    });
    const { model } = request;
    const id = `chatcmpl-${turn_id.replace(/^turn_/, '')}`;
    const head = { id, created: Math.floor(this.dialect.time.clock.wall() / 1000), model };
    await (request.isStreamed
      ? this.stream(started, new CompletionChunks(head, request.includesUsage), response)
      : this.answer(started, head, response));
  }

  private async start(
    user: User,
    { content, options, history, said }: CompletionRequest,
    headers: Record<string, string | undefined>,
  ): Promise<Started> {
    const message = { content, options, ...messageId(headers['idempotency-key']) };
    const conversation_id = headers['x-conversation-id'];
    if (conversation_id === undefined)
      return this.dialect.unnamed.start(user, message, { said, written: history, kind: 'completion' });
    try {
      return await this.dialect.turns.start(user, { ...message, conversation_id });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const about = { status: 404, param: 'X-Conversation-Id', code: 'conversation_not_found' };
      throw new OpenAiRefusal('There is no conversation with this id.', about);
    }
  }

  private async stream(
    { turn_id, stream, remember }: Started,
    chunks: CompletionChunks,
    response: Response,
  ): Promise<void> {
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    await streamResponse(response, stream, {
      clock: this.dialect.time.clock,
      keepAlive: ': keep-alive\n\n',
      write: async (news) => {
        if (news.type !== 'turn_ended') {
          const told = chunks.next(news);
          return news.type === 'call_asks' ? [...told, pendingCallComment(turn_id, news.call)] : told;
        }
        const end = chunks.end(news.turn, await this.stopReason(turn_id));
        // A client sends no other request until it knows that this was all.
        await rememberAnswer(news.turn, remember);
        return end;
      },
      broken: (error) => chunks.fail(error),
    });
  }

  private async answer(
    { turn_id, stream, remember }: Started,
    head: CompletionHead,
    response: Response,
  ): Promise<void> {
    const turn = await endOf(stream);
    // The client has disconnected.
    if (!turn) return void response.end();
    const completion = toCompletion(head, turn, await this.stopReason(turn_id));
    await rememberAnswer(turn, remember);
    response.json(completion);
  }

  /** Views do not have it. */
  private async stopReason(turnId: string): Promise<StopReason | null> {
    const { steps } = await this.dialect.reader.journalOfTurn(turnId);
    return steps.at(-1)?.stop_reason ?? null;
  }
}

async function rememberAnswer(turn: TurnView, remember: Started['remember']): Promise<void> {
  if (turn.status === 'completed') await remember?.(answerOf(turn));
}

async function endOf(stream: StartedTurn['stream']): Promise<TurnView | undefined> {
  for await (const news of stream) {
    if (news.type === 'turn_ended') return news.turn;
    if (news.type === 'gateway_stopping') throw serverStopping();
  }
  return undefined;
}

/** Its own space: the client protocol's ids of first messages name conversations, too. */
function messageId(key: string | undefined): { client_message_id?: string } {
  if (key === undefined) return {};
  const parsed = clientMessageIdSchema.safeParse(`openai:${key}`);
  if (!parsed.success)
    throw new OpenAiRefusal('Idempotency-Key: at most 121 printable characters without spaces.', {
      param: 'Idempotency-Key',
    });
  return { client_message_id: parsed.data };
}
