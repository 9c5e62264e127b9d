import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import type { AuditPage } from '#contracts';
import { toAuditPosition } from '#journal';
import type { Store } from '#store';
import { HttpUserGuard } from '../people/auth/http-user.guard.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { OperatorGuard } from './operator.guard.js';

const name = z.string().min(1).max(256).optional();
const BEFORE = 'must be a time such as 2026-03-01 or 2026-03-01T10:00+01:00, or what the last page named';
const positionSchema = z
  .string()
  .max(256)
  .transform((text, context) => {
    const position = toAuditPosition(text);
    if (position !== undefined) return position;
    context.addIssue({ code: 'custom', message: BEFORE });
    return z.NEVER;
  });
const querySchema = z
  .object({
    user: name,
    conversation: name,
    tool: name,
    before: positionSchema.optional(),
    limit: wholeNumber(1, 500, 100),
  })
  .transform(({ user: user_id, conversation: conversation_id, ...rest }) => ({
    user_id,
    conversation_id,
    ...rest,
  }));

/** How tool calls ended, newest first, for operators: neither arguments nor results. */
@Controller('api/admin/audit')
@UseGuards(HttpUserGuard, OperatorGuard)
export class AuditController {
  constructor(@FromGateway() private readonly gateway: { store: Store }) {}

  @Get()
  async list(@Query(new ParsePipe(querySchema)) query: z.output<typeof querySchema>): Promise<AuditPage> {
    const records = await this.gateway.store.listAuditRecords(query);
    const last = records.length === query.limit ? records.at(-1) : undefined;
    return { records, ...(last && { before: last._id }) };
  }
}
