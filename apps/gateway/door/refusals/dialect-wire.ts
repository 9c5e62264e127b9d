import type { Response } from 'express';
import type { RequestError } from '../../errors/request-error.js';

/** The wire of another kind of client: what the middleware before its routes needs to know. */
export interface DialectWire {
  /** As in `DIALECTS`. */
  name: string;
  /** Whether a path is one of its own. */
  owns(path: string): boolean;
  /** A refusal in its own form; `status` is that of the client protocol. Common headers are set before. */
  sendError(response: Response, error: RequestError, status: number): void;
  /** Bytes of one body; default: 1 MiB. */
  maxBodyBytes?: number;
  /** Values in one body, as `JsonMeter` counts them; default: 200,000 where `maxBodyBytes` is given, else 50,000. */
  maxBodyValues?: number;
  /** Types of bodies besides `application/json`. */
  bodyTypes?: readonly string[];
  /** Origins that may use its paths when `CORS_ORIGINS` names none and `DIALECTS` names the dialect. */
  defaultOrigins?: readonly string[];
  /** Whether the body of a request to one of its paths is neither looked at nor judged. */
  ignoresBody?(path: string): boolean;
  /**
   * Whether its front end sends a body to this path of the client protocol: one that is no JSON is 422 there, not
   * 400.
   */
  sharesBody?(path: string): boolean;
  /** Methods that a page of another origin may use; default: what the client protocol has. */
  methods?: readonly string[];
  /** Headers of its answers that a page of another origin may read. */
  exposedHeaders?: readonly string[];
}
