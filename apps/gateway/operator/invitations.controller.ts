import { Body, Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import type { ActionLog } from '#journal';
import { Invitations, type InvitationBody } from '../people/accounts/invitations.js';
import { Registration } from '../people/accounts/registration.js';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { FromParts } from '../http/from-parts.decorator.js';
import { OperatorGuard } from './operator.guard.js';

const newSchema = z.strictObject({
  hours: z.int().min(1).max(720).default(72),
  /** For the operator's own list: whom it is for. */
  note: z
    .string()
    .trim()
    .max(100)
    .nullish()
    .transform((note) => note || null),
});

/** Links that create one account each, for operators, with `AUTH=local`. */
@Controller('api/admin/invitations')
@UseGuards(HttpUserGuard, OperatorGuard)
export class InvitationsController {
  constructor(
    @FromParts()
    private readonly local: {
      invitations: Invitations;
      registration: Registration;
      actions: Pick<ActionLog, 'note'>;
    },
  ) {}

  @Post()
  async create(
    @CurrentUser() operator: User,
    @Body(new ParsePipe(newSchema)) given: z.output<typeof newSchema>,
  ): Promise<InvitationBody & { token: string }> {
    const state = await this.local.registration.state();
    if (state !== 'invite')
      throw new RequestError(
        'invalid',
        `Registration is ${state}, so an invitation would have no effect. Set REGISTRATION=invite.`,
      );
    const created = await this.local.invitations.create(operator, given);
    this.note('invitation_created', operator, created.id);
    return created;
  }

  @Get()
  list(@CurrentUser() operator: User): Promise<InvitationBody[]> {
    return this.local.invitations.list(operator);
  }

  @Delete(':id')
  @HttpCode(204)
  async withdraw(@CurrentUser() operator: User, @Param('id') id: string): Promise<void> {
    await this.local.invitations.withdraw(operator, id);
    this.note('invitation_withdrawn', operator, id);
  }

  private note(audit: 'invitation_created' | 'invitation_withdrawn', operator: User, id: string): void {
    this.local.actions.note({ audit, user_id: operator.id, subject: id }, { invitation: id });
  }
}
