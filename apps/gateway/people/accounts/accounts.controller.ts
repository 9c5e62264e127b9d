import { Body, Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { countedSession } from '../auth/session-cookie.js';
import { bearerToken } from '../auth/user.js';
import { RequestError } from '../../errors/request-error.js';
import { ParsePipe, parseRequest } from '../../http/parse.pipe.js';
import { addressOf } from '../../limits/client-address.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import type { AccountBody } from './accounts.js';
import { isVisible } from './confusable-names.js';
import { Registration, type RegistrationState } from './registration.js';
import { SignIn, type TokenBody } from './sign-in.js';

/** No account has a longer one, and hashing it would cost as much. */
const MAX_TYPED_LENGTH = 1_000;

const registerSchema = z.object({
  email: z.string().trim().max(254).pipe(z.email()),
  /** Without `@`, so that a name never looks like an email address at sign-in. */
  username: z
    .string()
    .trim()
    .min(3)
    .max(50)
    .refine((name) => !name.includes('@') && isVisible(name), {
      error: 'must have a letter or digit, and no @, no blanks but single spaces, no invisible characters',
    }),
  password: z.string().min(8).max(100),
  full_name: z
    .string()
    .trim()
    .max(100)
    .nullish()
    .transform((name) => name || null),
  /** The token of a link. */
  invitation: z.string().min(1).max(100).optional(),
});
export const nameAndPasswordSchema = z.object({
  username: z.string().trim().min(1).max(MAX_TYPED_LENGTH),
  password: z.string().min(1).max(MAX_TYPED_LENGTH),
});

/** `AUTH=local`. With any other there are no such routes. */
@Controller('api/auth')
export class AccountsController {
  constructor(@FromParts() private readonly local: { signIn: SignIn; registration: Registration }) {}

  /** For the page of a visitor without an account. */
  @Get('registration')
  async state(): Promise<{ registration: RegistrationState }> {
    return { registration: await this.local.registration.state() };
  }

  @Post('register')
  register(
    @Req() request: Request,
    @Body(new ParsePipe(registerSchema)) { invitation, ...given }: z.output<typeof registerSchema>,
  ): Promise<AccountBody> {
    return this.local.signIn.register(addressOf(request), given, invitation);
  }

  /** As OAuth 2 has it: a form. */
  @Post('token')
  @HttpCode(200)
  token(@Req() request: Request): Promise<TokenBody> {
    if (request.is('application/x-www-form-urlencoded') === false || request.body === undefined)
      throw new RequestError('invalid', 'The body must be application/x-www-form-urlencoded.');
    const { username, password } = parseRequest(nameAndPasswordSchema, request.body);
    return this.local.signIn.signIn(addressOf(request), username, password);
  }

  @Get('me')
  me(@Req() request: Request): Promise<AccountBody> {
    return this.local.signIn.whoIs(bearerToken(request.headers.authorization), countedSession(request));
  }
}
