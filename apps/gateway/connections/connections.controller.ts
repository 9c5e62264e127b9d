import {
  Controller,
  Delete,
  Get,
  Header,
  Headers,
  HttpCode,
  Param,
  Post,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { Response } from 'express';
import { CALLBACK_PATH, type GrantSummary } from '#connections';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { User } from '../people/auth/user.js';
import { AccessByPeople } from './access-by-people.js';

/** As long as a question waits by default. */
const COOKIE_MS = 3_600_000;

/** The accounts that a user has given MCP servers access to. */
@Controller('api/connections')
@UseGuards(HttpUserGuard)
export class ConnectionsController {
  constructor(@FromGateway() private readonly gateway: { access: AccessByPeople }) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async list(@CurrentUser() user: User): Promise<{ connections: GrantSummary[] }> {
    return { connections: await this.gateway.access.list(user) };
  }

  @Delete(':id')
  remove(@CurrentUser() user: User, @Param('id') id: string): Promise<{ revoked: boolean }> {
    return this.gateway.access.remove(user, id);
  }

  /** The page opens the address; the cookie stays in its browser. */
  @Post(':id/start')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  async start(
    @CurrentUser() user: User,
    @Param('id') id: string,
    @Headers('host') host: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ authorization_url: string }> {
    const { authorizationUrl, cookie, isSecure } = await this.gateway.access.start(user, id, host);
    response.cookie(cookie.name, cookie.value, {
      httpOnly: true,
      // The issuer's page leads back here, from another site.
      sameSite: 'lax',
      secure: isSecure,
      path: CALLBACK_PATH,
      maxAge: COOKIE_MS,
    });
    return { authorization_url: authorizationUrl };
  }
}
