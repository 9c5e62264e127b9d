import type { NextFunction, Request, Response } from 'express';
import { MAX_DEPTH } from '#contracts';
import { bearerToken, type Authenticate } from '../../people/auth/user.js';
import type { DialectWire } from '../refusals/dialect-wire.js';
import { RequestError } from '../../errors/request-error.js';
import type { SendError } from '../refusals/send-error.js';
import { isAlwaysServed } from '../../http/always-served.js';
import { knownUserOf } from '../../people/auth/known-user.js';
import { toRequestError } from '../../errors/to-request-error.js';
import { BodyError, NoJsonError } from '../../errors/body-error.js';
import { TooManyBytes, type BodyBudget } from './body-budget.js';
import {
  MAX_BODY_BYTES,
  MAX_DIALECT_VALUES,
  MAX_LARGE_VALUES,
  MAX_VALUES,
  MAX_VALUES_IN_PLACE,
} from './body-limits.js';
import { LargeBody } from './bodies.js';
import { receiveBody, textOf, tooLarge, type ReceivedBody } from './receive-body.js';

export interface JsonBodyOptions {
  dialects: readonly DialectWire[];
  sendError: SendError;
  authenticate: Authenticate;
  bodyBudget: BodyBudget;
  /** Whether users are told apart. */
  countsUsers: boolean;
}

/**
 * Reads bodies of JSON. What costs little to parse is parsed here; a large one, which only paths of some dialects take,
 * and only from somebody who is known, becomes a `LargeBody` that its controller has read.
 */
export function readJsonBodies(options: JsonBodyOptions) {
  const { dialects, sendError } = options;
  return (request: Request, response: Response, next: NextFunction): void => {
    const owner = dialects.find((dialect) => dialect.owns(request.path));
    const isRead = !isAlwaysServed(request) && request.is('application/json') === 'application/json';
    if (!isRead || owner?.ignoresBody?.(request.path)) return next();
    const fail = (error: unknown) => {
      if (error instanceof BodyError) return next(error);
      sendError(
        request,
        response,
        toRequestError(error),
        error instanceof TooManyBytes ? error.status : undefined,
      );
    };
    readBody(options, { request, response, owner }).then((body) => {
      request.body = body;
      next();
    }, fail);
  };
}

interface Asked {
  request: Request;
  response: Response;
  owner: DialectWire | undefined;
}

async function readBody(options: JsonBodyOptions, asked: Asked): Promise<unknown> {
  const { request, response, owner } = asked;
  const { maxBodyBytes: maxBytes = MAX_BODY_BYTES } = owner ?? {};
  const announced = announcedBytes(request);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const userId = await largeSender(options, request, { maxBytes, announced });
  const held = options.bodyBudget.enter(userId, announced ?? 0);
  response.once('close', held.release);
  const body = await receiveBody(request, { maxBytes, grow: held.grow });
  refuseCostly(body, owner);
  const isInPlace =
    owner?.maxBodyBytes === undefined ||
    (body.bytes <= MAX_BODY_BYTES && body.meter.values <= MAX_VALUES_IN_PLACE);
  if (!isInPlace) return new LargeBody(body.slabs, held, leftSignal(response));
  held.release();
  return parse(textOf(body.slabs));
}

function leftSignal(response: Response): AbortSignal {
  const left = new AbortController();
  if (response.closed) left.abort();
  else response.once('close', () => left.abort());
  return left.signal;
}

function parse(text: string): unknown {
  // As Express has it: what is announced as JSON and empty is an object.
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new NoJsonError();
  }
}

/** Undefined if it cannot be known before the body has arrived. */
function announcedBytes({ headers }: Request): number | undefined {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = headers;
  return length !== undefined && encoding.toLowerCase() === 'identity' ? Number(length) : undefined;
}

/** A body that may be larger than the client protocol's is kept and read only for a known user. */
async function largeSender(
  { authenticate, countsUsers }: JsonBodyOptions,
  request: Request,
  { maxBytes, announced = Infinity }: { maxBytes: number; announced: number | undefined },
): Promise<string | undefined> {
  if (Math.min(maxBytes, announced) <= MAX_BODY_BYTES) return undefined;
  const { id } = knownUserOf(request) ?? (await authenticate(bearerToken(request.headers.authorization)));
  return countsUsers ? id : undefined;
}

function refuseCostly({ meter }: ReceivedBody, owner: DialectWire | undefined): void {
  const maxValues = maxValuesOf(owner);
  if (meter.depth > MAX_DEPTH)
    throw new RequestError('invalid', `The request is nested deeper than ${MAX_DEPTH} levels.`);
  if (meter.values > maxValues)
    throw new RequestError('content_too_long', `A request holds at most ${maxValues} values.`);
}

function maxValuesOf(owner: DialectWire | undefined): number {
  if (!owner) return MAX_VALUES;
  return owner.maxBodyValues ?? (owner.maxBodyBytes === undefined ? MAX_DIALECT_VALUES : MAX_LARGE_VALUES);
}
