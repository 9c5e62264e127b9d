import {
  Catch,
  HttpException,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Logger } from '#observability';
import { NoJsonError } from '../../errors/body-error.js';
import { requestIdOf } from '../../http/request-id.middleware.js';
import { noSuchAddress, notFound, RequestError } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import type { DialectWire } from './dialect-wire.js';
import type { SendError } from './send-error.js';

/** Serves a file of the page; calls `onMissing` when there is none of this name. */
export type ServePage = (request: Request, response: Response, onMissing: () => void) => void;

/**
 * Answers whatever a request threw. Nest throws `NotFoundException` when no route matches
 * (ours never do): only then the page is asked, so that routes win.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly log: Pick<Logger, 'error' | 'warn'>,
    private readonly servePage: ServePage,
    private readonly sendError: SendError,
    private readonly dialects: readonly Pick<DialectWire, 'sharesBody'>[],
  ) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    if (exception instanceof NotFoundException)
      return this.servePage(request, response, () => this.sendError(request, response, noSuchAddress()));
    if (!isDecodable(request.path)) return this.sendError(request, response, notFound());
    const status = statusOfFramework(exception);
    if (status !== undefined)
      return this.sendError(
        request,
        response,
        describe(status),
        this.statusAt(request.path, exception, status),
      );
    const error = toRequestError(exception);
    const { method, path } = request;
    const about = { err: exception, request_id: requestIdOf(response), method, path };
    if (error.code === 'internal') this.log.error(about, 'request failed');
    // What was refused on purpose is counted by its limit.
    if (error.code === 'unavailable' && error !== exception)
      this.log.warn(about, 'request refused, temporarily unavailable');
    this.sendError(request, response, error);
  }

  /** A body that is no JSON (`NoJsonError`) is as wrong as one that is, where a contract says so. */
  private statusAt(path: string, exception: unknown, status: number): number {
    const isUnreadable = exception instanceof NoJsonError;
    return isUnreadable && this.dialects.some((dialect) => dialect.sharesBody?.(path)) ? 422 : status;
  }
}

/** An id that cannot even be decoded is one that does not exist. */
function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Of Nest's own exceptions and of Express' body parser, which carry a 4xx status. */
function statusOfFramework(exception: unknown): number | undefined {
  if (exception instanceof RequestError) return undefined;
  const status =
    exception instanceof HttpException
      ? exception.getStatus()
      : (exception as { status?: unknown } | null | undefined)?.status;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** The framework's own messages quote the request. */
function describe(status: number): RequestError {
  if (status === 413) return new RequestError('content_too_long', 'The body is too large.');
  if (status === 404) return notFound();
  if (status === 405) return new RequestError('invalid', 'This method is not allowed here.');
  return new RequestError('invalid', 'The request could not be read.');
}
