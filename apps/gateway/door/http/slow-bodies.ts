import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '#time';

/** Milliseconds and bytes. */
export interface BodyPace {
  /** Between two arrivals, and what the start may take before the pace counts. */
  patienceMs: number;
  /** On average. */
  bytesPerSecond: number;
}

export const BODY_PACE: BodyPace = { patienceMs: 10_000, bytesPerSecond: 8 * 1024 };

type Awaited = Pick<IncomingMessage, 'complete' | 'readableLength' | 'readableHighWaterMark'> & {
  socket: Pick<IncomingMessage['socket'], 'bytesRead' | 'destroyed'> & { destroy(): void };
};
type Answer = Pick<ServerResponse, 'writableEnded'>;

interface Progress {
  /** Of the connection, before this body. */
  bytesBefore: number;
  bytes: number;
  /** In which this process would have taken more. */
  waitedMs: number;
  /** Of these, since something last came. */
  silentMs: number;
  isRefused: boolean;
}

/**
 * Bodies that have not come completely yet. A client must go on sending them, at some pace: a body that never ends would
 * hold its connection, and what the request has taken, for ever.
 */
export class SlowBodies<Request extends Awaited, Response extends Answer> {
  private readonly awaited = new Map<Request, { response: Response; progress: Progress }>();
  private checkedAt: number;

  /**
   * @param refuse answers a request that has no answer yet; its connection is broken when that did not end it
   * @param stepMs between two calls of `look`
   */
  constructor(
    private readonly pace: BodyPace,
    private readonly stepMs: number,
    private readonly refuse: (request: Request, response: Response) => void,
    private readonly clock: Pick<Clock, 'now'>,
  ) {
    this.checkedAt = clock.now();
  }

  get size(): number {
    return this.awaited.size;
  }

  watch(request: Request, response: Response): void {
    const { bytesRead } = request.socket;
    const progress = { bytesBefore: bytesRead, bytes: 0, waitedMs: 0, silentMs: 0, isRefused: false };
    this.awaited.set(request, { response, progress });
  }

  /** Ends what is too slow. */
  check(): void {
    const now = this.clock.now();
    // After a pause of this process nothing of what came meanwhile has been read yet.
    const passedMs = Math.min(now - this.checkedAt, 2 * this.stepMs);
    this.checkedAt = now;
    for (const [request, { response, progress }] of this.awaited) {
      if (request.complete || request.socket.destroyed) {
        this.awaited.delete(request);
        continue;
      }
      this.advance(progress, request, passedMs);
      if (this.isTooSlow(progress)) this.end(request, response, progress);
    }
  }

  private advance(progress: Progress, request: Request, passedMs: number): void {
    // The process itself takes no more at the moment.
    if (request.readableLength >= request.readableHighWaterMark) return;
    const bytes = request.socket.bytesRead - progress.bytesBefore;
    progress.waitedMs += passedMs;
    progress.silentMs = bytes > progress.bytes ? 0 : progress.silentMs + passedMs;
    progress.bytes = bytes;
  }

  private isTooSlow({ waitedMs, silentMs, bytes }: Progress): boolean {
    const { patienceMs, bytesPerSecond } = this.pace;
    if (silentMs >= patienceMs) return true;
    return bytes < (bytesPerSecond * (waitedMs - patienceMs)) / 1000;
  }

  private end(request: Request, response: Response, progress: Progress): void {
    if (progress.isRefused || response.writableEnded) {
      this.awaited.delete(request);
      request.socket.destroy();
      return;
    }
    progress.isRefused = true;
    this.refuse(request, response);
  }
}
