import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { CALLBACK_PATH } from '#connections';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { readCookies } from '../http/read-cookies.js';
import { AccessByPeople, type Arrival } from './access-by-people.js';

const part = z.string().max(4_096).optional();
/** What an issuer sends; other parameters are ignored, and a parameter that comes twice counts as missing. */
const querySchema = z.object({
  state: z.string().max(256).catch(''),
  code: part.catch(undefined),
  iss: part.catch(undefined),
  error: part.catch(undefined),
});

const WORDS: Record<Arrival, { status: number; title: string; text: string }> = {
  connected: { status: 200, title: 'Connected', text: 'You can close this tab. The call goes on.' },
  refused: { status: 200, title: 'Not connected', text: 'Access was not given, so the call ends.' },
  used: {
    status: 400,
    title: 'Not connected',
    text: 'This link was already used, has expired, or began in another browser. Connect again from the conversation.',
  },
  late: {
    status: 409,
    title: 'Not connected',
    text: 'The call no longer waits. Send your message again.',
  },
};

/** Where issuers send people back to. Nobody is signed in here: the state and the browser's cookie say whose way it is. */
@Controller(CALLBACK_PATH)
export class CallbackController {
  constructor(@FromGateway() private readonly gateway: { access: AccessByPeople }) {}

  @Get()
  async comeBack(@Query() query: unknown, @Req() request: Request, @Res() response: Response): Promise<void> {
    const cookies = readCookies(request.headers.cookie);
    const arrival = await this.gateway.access.comeBack(querySchema.parse(query), (name) => cookies.get(name));
    const { status, title, text } = WORDS[arrival];
    response
      .status(status)
      .set({ 'Cache-Control': 'no-store', 'Content-Type': 'text/html; charset=utf-8' })
      .send(`<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`);
  }
}
