import { Body, Controller, Get, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { z } from 'zod';
import { bearerToken } from '../auth/user.js';
import { RequestError } from '../errors/request-error.js';
import { ParsePipe, parseRequest } from '../http/parse.pipe.js';
import type { AccountBody } from './accounts.js';
import { SignIn, type TokenBody } from './sign-in.js';

/** Longer ones are nobody's; hashing them would cost all the same. */
const MAX_TYPED_LENGTH = 1_000;

const registerSchema = z.object({
  email: z.string().trim().max(254).pipe(z.email()),
  /** Without `@`: who signs in with an address means an address. */
  username: z
    .string()
    .trim()
    .min(3)
    .max(50)
    .regex(/^[^@\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]*$/u, { error: 'must not contain @ or invisible characters' }),
  password: z.string().min(8).max(100),
  full_name: z
    .string()
    .trim()
    .max(100)
    .nullish()
    .transform((name) => name || null),
});
const formSchema = z.object({
  username: z.string().trim().min(1).max(MAX_TYPED_LENGTH),
  password: z.string().min(1).max(MAX_TYPED_LENGTH),
});

/** `AUTH=local`. With any other there are no such routes. */
@Controller('api/auth')
export class AccountsController {
  constructor(@Inject(SignIn) private readonly door: SignIn) {}

  @Post('register')
  register(
    @Req() request: Request,
    @Body(new ParsePipe(registerSchema)) given: z.output<typeof registerSchema>,
  ): Promise<AccountBody> {
    return this.door.register(addressOf(request), given);
  }

  /** As OAuth 2 has it: a form. */
  @Post('token')
  @HttpCode(200)
  token(@Req() request: Request): Promise<TokenBody> {
    if (request.is('application/x-www-form-urlencoded') === false || request.body === undefined)
      throw new RequestError('invalid', 'The body must be application/x-www-form-urlencoded.');
    const { username, password } = parseRequest(formSchema, request.body);
    return this.door.signIn(addressOf(request), username, password);
  }

  @Get('me')
  me(@Req() request: Request): Promise<AccountBody> {
    return this.door.whoIs(bearerToken(request.headers.authorization));
  }
}

function addressOf({ ip }: Request): string {
  return ip ?? '';
}
