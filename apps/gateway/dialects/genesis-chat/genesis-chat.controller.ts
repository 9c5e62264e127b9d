import { All, Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { HttpUserGuard } from '../../people/auth/http-user.guard.js';
import { sendProblem } from '../../errors/problem.js';
import { RequestError } from '../../errors/request-error.js';
import { SOCKET_PATH, TRANSCRIBE_PATH } from './genesis-chat.js';

const MAX_AUDIO_BYTES = 25 * 1024 * 1024;
/** Of the parts around the audio. */
const MULTIPART_BYTES = 64 * 1024;

@Controller()
export class GenesisChatController {
  /** What is not a handshake. */
  @All(SOCKET_PATH)
  socket(@Res() response: Response): void {
    response.setHeader('Upgrade', 'websocket');
    sendProblem(response, new RequestError('invalid', 'This path takes WebSocket connections only.'), 426);
  }

  /** There is no engine: the audio is not even read. */
  @Post(TRANSCRIBE_PATH)
  @UseGuards(HttpUserGuard)
  transcribe(@Req() request: Request, @Res() response: Response): void {
    if (!request.is('multipart/form-data'))
      return sendProblem(
        response,
        new RequestError('invalid', 'Send the audio as multipart/form-data, in the field audio_file.'),
        400,
      );
    if (Number(request.headers['content-length'] ?? 0) > MAX_AUDIO_BYTES + MULTIPART_BYTES)
      return sendProblem(
        response,
        new RequestError('content_too_long', 'The audio is larger than 25 MB.'),
        413,
      );
    sendProblem(response, new RequestError('unavailable', 'This installation has no speech engine.'), 501);
  }
}
