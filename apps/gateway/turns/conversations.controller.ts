import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Patch,
  Post,
  Query,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { clientRequestSchemas, modelNameSchema, policySchema, toolChoiceSchema } from '#contracts';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { sendArray } from '../http/send-array.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { SubmitTurn } from './submit-turn.js';
import { TurnReader } from './turn-reader.js';
import { Conversations, type ConversationBody, type ListedConversation } from './conversations.js';

/** Null and blank titles mean "as it is". */
const titleSchema = z
  .string()
  .max(200)
  .nullish()
  .transform((title) => (title?.trim() ? title.trim() : undefined));
/** Strict: a misspelled `block` that is ignored would allow what was to be blocked. */
const toolsSchema = z.strictObject(toolChoiceSchema.shape).optional();
/** Null restores the deployment's. */
const modelSchema = modelNameSchema.nullish().transform((model) => (model === null ? '' : model));
const choiceSchema = z.object({
  title: titleSchema,
  policy: policySchema.optional(),
  tools: toolsSchema,
  model: modelSchema,
});
const pageSchema = z.object({ skip: wholeNumber(0, 1_000_000, 0), limit: wholeNumber(1, 100, 100) });
const messagesSchema = z.object({
  after: wholeNumber(0, 999_999_999, 0),
  /** Skipped messages must be read, so a client that goes further back names the turn instead. */
  skip: wholeNumber(0, 100_000, 0),
  limit: wholeNumber(1, 500, 100),
  include: z.literal('tools').optional(),
});
const turnsSchema = z.object({
  before: wholeNumber(1, 999_999_999, 999_999_999),
  limit: wholeNumber(1, 100, 20),
});
const turnSchema = clientRequestSchemas.message.omit({ conversation_id: true });

@Controller('api/conversations')
@UseGuards(HttpUserGuard)
export class ConversationsController {
  constructor(
    @FromGateway()
    private readonly gateway: {
      conversations: Conversations;
      turnReader: TurnReader;
      submitTurn: SubmitTurn;
    },
  ) {}

  @Get()
  list(
    @CurrentUser() user: User,
    @Query(new ParsePipe(pageSchema)) page: z.output<typeof pageSchema>,
  ): Promise<ListedConversation[]> {
    return this.gateway.conversations.list(user, page);
  }

  @Post()
  create(
    @CurrentUser() user: User,
    @Body(new ParsePipe(choiceSchema.prefault({}))) choice: z.output<typeof choiceSchema>,
  ): Promise<ConversationBody> {
    return this.gateway.conversations.create(user, choice);
  }

  @Get(':id')
  get(@CurrentUser() user: User, @Param('id') id: string): Promise<ConversationBody> {
    return this.gateway.conversations.get(user, id);
  }

  @Patch(':id')
  change(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Body(new ParsePipe(choiceSchema)) change: z.output<typeof choiceSchema>,
  ): Promise<ConversationBody> {
    return this.gateway.conversations.change(user, id, change);
  }

  @Delete(':id')
  @HttpCode(204)
  delete(@CurrentUser() user: User, @Param('id') id: string): Promise<void> {
    return this.gateway.conversations.delete(user, id);
  }

  @Get(':id/messages')
  async messages(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Query(new ParsePipe(messagesSchema)) page: z.output<typeof messagesSchema>,
    @Res() response: Response,
  ): Promise<void> {
    const withTools = page.include === 'tools';
    await sendArray(response, await this.gateway.turnReader.messages(user, id, { ...page, withTools }));
  }

  @Get(':id/turns')
  listTurns(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Query(new ParsePipe(turnsSchema)) page: z.output<typeof turnsSchema>,
  ) {
    return this.gateway.turnReader.page(user, id, page);
  }

  @Post(':id/turns')
  @HttpCode(202)
  async submit(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Body(new ParsePipe(turnSchema)) body: z.output<typeof turnSchema>,
  ) {
    const accepted = await this.gateway.submitTurn.accept(user, { ...body, conversation_id: id });
    await accepted.announce();
    return accepted.answer;
  }
}
