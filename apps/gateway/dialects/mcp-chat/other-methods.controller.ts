import { All, Controller, MethodNotAllowedException, Res } from '@nestjs/common';
import type { Response } from 'express';

/** Must come after the controllers with the paths: unsupported methods end here. */
@Controller()
export class OtherMethodsController {
  @All(['servers', 'status'])
  refuseWriting(@Res() response: Response): never {
    return refuse(response, 'GET, HEAD, OPTIONS');
  }

  @All(['connect/:id', 'disconnect', 'chat', 'chat/stream'])
  refuseReading(@Res() response: Response): never {
    return refuse(response, 'POST, OPTIONS');
  }
}

function refuse(response: Response, allowed: string): never {
  response.setHeader('Allow', allowed);
  throw new MethodNotAllowedException();
}
