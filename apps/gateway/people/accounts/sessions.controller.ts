import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { RequestError } from '../../errors/request-error.js';
import { FromParts } from '../../http/from-parts.decorator.js';
import { ParsePipe } from '../../http/parse.pipe.js';
import { addressOf } from '../../limits/client-address.js';
import { CurrentUser, HttpUserGuard } from '../auth/http-user.guard.js';
import { cookieOf, countedSession, ownScheme } from '../auth/session-cookie.js';
import type { User } from '../auth/user.js';
import { nameAndPasswordSchema } from './accounts.controller.js';
import { toAccountBody, type AccountBody } from './accounts.js';
import { Sessions, type SessionBody } from './sessions.js';
import { SignIn } from './sign-in.js';

const signInSchema = nameAndPasswordSchema.extend({
  /** Beyond the end of the browser. */
  stays: z.boolean().default(false),
});

/** Signing in on the page, by a cookie that no script reads. `AUTH=local`; with any other there are no such routes. */
@Controller('api/auth')
export class SessionsController {
  constructor(@FromParts() private readonly local: { signIn: SignIn; sessions: Sessions }) {}

  @Post('session')
  @HttpCode(200)
  async signIn(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @Body(new ParsePipe(signInSchema)) { username, password, stays }: z.output<typeof signInSchema>,
  ): Promise<AccountBody> {
    const { name, options } = this.cookieFor(request);
    const account = await this.local.signIn.check(addressOf(request), username, password);
    const device = request.headers['user-agent'] ?? '';
    const { token, maxAgeMs } = await this.local.sessions.begin(account._id, { device, stays });
    response.cookie(name, token, { ...options, ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }) });
    return toAccountBody(account);
  }

  /** Ends the session of the cookie, if there is one. */
  @Delete('session')
  @HttpCode(204)
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    const { name, options } = this.cookieFor(request);
    const session = await this.local.sessions.find(countedSession(request) ?? '');
    if (session) await this.local.sessions.end(session.userId, session.id);
    response.clearCookie(name, options);
  }

  @Get('sessions')
  @UseGuards(HttpUserGuard)
  async list(@CurrentUser() user: User): Promise<{ sessions: (SessionBody & { is_current: boolean })[] }> {
    const sessions = await this.local.sessions.list(user.id);
    return { sessions: sessions.map((one) => ({ ...one, is_current: one.id === user.sessionId })) };
  }

  @Delete('sessions/:id')
  @HttpCode(204)
  @UseGuards(HttpUserGuard)
  async end(@CurrentUser() user: User, @Param('id') id: string): Promise<void> {
    await this.local.sessions.end(user.id, id);
  }

  /** Another site must sign nobody in, and out: it could have people write into an account of its own. */
  private cookieFor(request: Request): ReturnType<typeof cookieOf> {
    const scheme = ownScheme(request);
    if (scheme) return cookieOf(scheme);
    throw new RequestError(
      'forbidden',
      'Only the page of this server uses sessions. Other clients get a token from /api/auth/token.',
    );
  }
}
