import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { yieldToEventLoop } from '#time';
import { bearerToken, LOCAL_USER, type User } from '../../people/auth/user.js';
import { RequestError } from '../../errors/request-error.js';
import { toRequestError } from '../../errors/to-request-error.js';
import { isAlwaysServed } from '../../http/always-served.js';
import { addressOf } from '../../limits/client-address.js';
import { rememberUser } from '../../people/auth/known-user.js';
import { countedSession } from '../../people/auth/session-cookie.js';
import type { HttpOptions } from './http-options.js';
import { NoPlaceError, type Leave } from './request-places.js';

type PlaceOptions = Pick<
  HttpOptions,
  'places' | 'connections' | 'rules' | 'authenticate' | 'refusals' | 'sendError' | 'time'
>;

/**
 * Two steps around the reading of bodies: a known user's request takes its place before, a stranger's after its body is
 * there. A request that gets none is refused.
 */
export class PlaceSteps {
  /** Places of strangers, given back when their bodies are there. */
  private readonly bodies = new WeakMap<Request, Leave>();
  private readonly strangers = new WeakSet<Request>();

  constructor(private readonly options: PlaceOptions) {}

  readonly beforeBody: RequestHandler = (request, response, next) => {
    if (isAlwaysServed(request)) return next();
    void this.continueAfter(request, response, next, () => this.admit(request, response));
  };

  readonly afterBody: RequestHandler = (request, response, next) => {
    if (!this.strangers.has(request)) return next();
    void this.continueAfter(request, response, next, async () => this.admitStranger(request, response));
  };

  private async continueAfter(
    request: Request,
    response: Response,
    next: NextFunction,
    enter: () => Promise<void>,
  ): Promise<void> {
    try {
      await enter();
    } catch (error) {
      return this.refuse(request, response, error);
    }
    // The client has left, and its places have been given back.
    if (!response.closed) next();
  }

  private async admit(request: Request, response: Response): Promise<void> {
    const { places, rules } = this.options;
    const user = await this.identify(request);
    if (response.closed) return;
    if (user) {
      const { leave, endCount } = places.enterAsUser(rules.isOpen ? undefined : user.id);
      const enterAgain = () => places.enterAsUser(undefined).leave;
      rememberUser(request, { user, endCount, enterAgain });
      this.holdFor(request, response, leave, false);
    } else {
      this.strangers.add(request);
      await this.awaitBody(request, response);
    }
    if (expectsContinue(request) && !response.closed) response.writeContinue();
  }

  /** Undefined for a stranger, also for one with a token that is not valid: what it may see, routes decide. */
  private async identify(request: Request): Promise<User | undefined> {
    const { rules, places, authenticate } = this.options;
    if (rules.isOpen) return LOCAL_USER;
    const token = bearerToken(request.headers.authorization);
    const session = countedSession(request);
    if (token === undefined && session === undefined) return undefined;
    const leave = places.check(addressOf(request));
    try {
      return await authenticate(token, session);
    } catch (error) {
      if (error instanceof RequestError && error.code === 'unauthorized') return undefined;
      throw error;
    } finally {
      leave();
    }
  }

  /** A small body comes with its headers, and has been received when this turn of the event loop is over. */
  private async awaitBody(request: Request, response: Response): Promise<void> {
    await yieldToEventLoop(this.options.time.clock);
    if (request.complete || response.closed) return;
    const leave = this.options.places.awaitBody(addressOf(request));
    this.bodies.set(request, this.holdFor(request, response, leave, true));
  }

  private admitStranger(request: Request, response: Response): void {
    if (response.closed) return;
    if (request.complete) this.bodies.get(request)?.();
    this.holdFor(request, response, this.options.places.enterAsStranger(addressOf(request)), true);
    this.options.connections.limitAnswer(request, response);
  }

  /** A place is given back, and the connection free, when the answer is whole or its client has left. */
  private holdFor(request: Request, response: Response, leave: Leave, isStranger: boolean): Leave {
    const release = this.options.connections.hold(request, isStranger);
    const end = () => {
      leave();
      release();
    };
    response.once('close', end);
    return end;
  }

  private refuse(request: Request, response: Response, error: unknown): void {
    if (!(error instanceof NoPlaceError))
      return this.options.sendError(request, response, toRequestError(error));
    this.options.refusals.note(error.limit, { address: addressOf(request) });
    this.options.sendError(request, response, error, error.status);
  }
}

function expectsContinue({ headers }: Request): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}
