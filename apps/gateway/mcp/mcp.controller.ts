import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import type { AuthInfo, McpHttpHandler } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { isWithinDepth, MAX_DEPTH } from '#contracts';
import { CurrentUser, HttpUserGuard } from '../people/auth/http-user.guard.js';
import type { OpenLimit } from '../limits/open-limit.js';
import { FromGateway } from '../http/from-gateway.decorator.js';
import { StreamGuard } from '../people/auth/stream.guard.js';
import type { User } from '../people/auth/user.js';
import { RequestError } from '../errors/request-error.js';
import { countBatch } from './count-batch.js';
import type { McpCaller } from './mcp-server.adapter.js';

@Controller('mcp')
@UseGuards(HttpUserGuard, StreamGuard)
export class McpController {
  private readonly handle: NodeMcpRequestHandler;

  constructor(
    @FromGateway() private readonly gateway: { mcpServer: McpHttpHandler; openStreams: OpenLimit },
  ) {
    this.handle = toNodeHandler(gateway.mcpServer);
  }

  @All()
  async serve(
    @CurrentUser() user: User,
    @Req() request: Request & { auth?: AuthInfo },
    @Res() response: Response,
  ): Promise<void> {
    const body: unknown = request.body;
    if (!isWithinDepth(body))
      throw new RequestError('invalid', `The body nests more than ${MAX_DEPTH} levels.`);
    countBatch(user.id, request, response, this.gateway.openStreams);
    const left = new AbortController();
    response.once('close', () => left.abort());
    if (response.closed) return;
    const caller: McpCaller = { user, left: left.signal };
    request.auth = { token: '', clientId: user.id, scopes: [], extra: { ...caller } };
    await this.handle(request, response, body);
  }
}
