import { Body, Controller, Get, Param, Patch, Query, UseGuards } from '@nestjs/common';
import { z } from 'zod';
import { accountSchema, type Account } from '#contracts';
import type { ActionLog } from '#journal';
import { Accounts, type ListedAccount } from '../people/accounts/accounts.js';
import { KnownAccounts } from '../people/accounts/known-accounts.js';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { wholeNumber } from '../http/whole-number.js';
import { FromParts } from '../http/from-parts.decorator.js';
import { OperatorGuard } from './operator.guard.js';

const pageSchema = z.object({ after: wholeNumber(0, 999_999_999, 0), limit: wholeNumber(1, 500, 100) });
/** Strict: ignoring a misspelled `is_active` would leave an account active. */
const changeSchema = z.strictObject(
  accountSchema.pick({ role: true, roles: true, is_active: true }).partial().shape,
);

/** The accounts of `AUTH=local`, for operators. With any other there are no such routes. */
@Controller('api/admin/users')
@UseGuards(HttpUserGuard, OperatorGuard)
export class AdminAccountsController {
  constructor(
    @FromParts()
    private readonly local: { accounts: Accounts; known: KnownAccounts; actions: Pick<ActionLog, 'note'> },
  ) {}

  @Get()
  list(@Query(new ParsePipe(pageSchema)) page: z.output<typeof pageSchema>): Promise<ListedAccount[]> {
    return this.local.accounts.list(page);
  }

  @Patch(':id')
  async change(
    @CurrentUser() operator: User,
    @Param('id') id: string,
    @Body(new ParsePipe(changeSchema)) change: z.output<typeof changeSchema>,
  ): Promise<ListedAccount> {
    const before = await this.local.accounts.get(id);
    const changed = await this.local.accounts.change(operator, id, change);
    this.local.known.forget(id);
    const { role, roles, is_active } = changed;
    const status = statusOf(changed);
    if (before && statusOf(before) === status) return changed;
    this.local.actions.note(
      { audit: 'account_changed', user_id: operator.id, subject: id, status },
      { account: id, role, roles, is_active },
    );
    return changed;
  }
}

function statusOf({ role, roles = [], is_active }: Pick<Account, 'role' | 'roles' | 'is_active'>): string {
  return [role, ...roles, is_active ? 'active' : 'inactive'].join(', ');
}
