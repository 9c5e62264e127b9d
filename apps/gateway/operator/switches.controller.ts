import { Body, Controller, Delete, Get, Param, Put, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import {
  LOG_LEVELS,
  MAX_SWITCH_REASON,
  processIdSchema,
  SWITCH_KINDS,
  toolNameSchema,
  type ListedSwitches,
  type SetSwitch,
  type UnsetSwitch,
} from '#contracts';
import { toPrintable } from '#tools';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { OperatorGuard } from './operator.guard.js';
import { SwitchBoard } from './switch-board.js';

const NAMES = {
  toolset: z.string().regex(/^[a-z0-9_]{1,64}$/),
  tool: toolNameSchema,
  process: processIdSchema,
  turns: z.literal('all'),
  logs: z.union([z.literal('all'), processIdSchema]),
};
const KINDS = SWITCH_KINDS.join(', ');
const placeSchema = z
  .object({ kind: z.enum(SWITCH_KINDS, { error: `must be one of ${KINDS}` }), name: z.string() })
  .refine(({ kind, name }) => NAMES[kind].safeParse(name).success, {
    path: ['name'],
    error: 'must be a toolset (web), a tool (web.web_search), the id of a process, or all (turns and logs)',
  });
/** Everybody whom the switch stops reads it, also in terminals. */
const reasonSchema = z
  .string()
  .max(MAX_SWITCH_REASON)
  .transform((text) => toPrintable(text, MAX_SWITCH_REASON))
  .pipe(z.string().min(1));
const bodySchema = z.strictObject({
  reason: reasonSchema.optional(),
  level: z.enum(LOG_LEVELS).optional(),
});

type Place = z.output<typeof placeSchema>;

/** What operators switch: paused toolsets and tools, drained processes, refused turns. */
@Controller('api/admin/switches')
@UseGuards(HttpUserGuard, OperatorGuard)
export class SwitchesController {
  constructor(@FromGateway() private readonly gateway: { switchBoard: SwitchBoard }) {}

  @Get()
  async list(): Promise<ListedSwitches> {
    return { switches: await this.gateway.switchBoard.list() };
  }

  @Put(':kind/:name')
  set(
    @CurrentUser() user: User,
    @Param(new ParsePipe(placeSchema)) { kind, name }: Place,
    @Body(new ParsePipe(bodySchema.default({}))) wanted: z.output<typeof bodySchema>,
  ): Promise<SetSwitch> {
    if ((kind === 'logs') !== (wanted.level !== undefined))
      throw new RequestError('invalid', 'level: needed for logs, and for nothing else');
    return this.gateway.switchBoard.set(user, { kind, name, ...wanted });
  }

  /** 204, or 200 when that has accepted something. */
  @Delete(':kind/:name')
  async unset(
    @CurrentUser() user: User,
    @Param(new ParsePipe(placeSchema)) { kind, name }: Place,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UnsetSwitch | undefined> {
    const accepted = await this.gateway.switchBoard.unset(user, kind, name);
    if (accepted.length > 0) return { accepted };
    response.status(204);
    return undefined;
  }
}
