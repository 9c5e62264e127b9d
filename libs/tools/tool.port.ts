import type {
  ArtifactReference,
  ErrorDetail,
  InputAction,
  ToolClass,
  ToolResult,
  ToolScope,
  ToolSource,
} from '#contracts';
import type { ToolAbout } from './tool-about.js';

/** Output that is not text for the model, or too long for it: stored as an artifact of the conversation. */
export interface Attachment {
  /** At most 8 MiB; a string is UTF-8. */
  content: Uint8Array | string;
  /** MIME type; checked for pictures. */
  contentType: string;
  /** A file name for people. */
  name?: string;
}

/** A tool's question to the person: a sentence, and one level of fields as JSON Schema (see `questionSchemaSchema`). */
export interface Question {
  message: string;
  schema: Record<string, unknown>;
  /** Only of MCP servers that act for a person, in place of fields: what the person gives access with. */
  connection?: string;
  /** How many calls may be the one that asks: their server does not say which. Absent: this one does. */
  among?: number;
}

/** `cancel`: no one answered in time. Only `accept` has content, which fits the schema. */
export interface Reply {
  action: InputAction;
  content?: Record<string, unknown>;
}

/** The origin of a logged message. */
export interface LogOrigin {
  level: string;
  /** The server's own name for its logger, or else the server's name. */
  logger: string;
}

/** What a running tool can read and do about its call. */
export interface ToolContext {
  toolCallId: string;
  turnId: string;
  conversationId: string;
  userId: string;
  /** 1 for the first start; more when a `read`, `idempotent` or `keyed` call runs again. */
  attempt: number;
  /** Aborted by Stop, and by the timeout (reason `TimeoutError`). */
  signal: AbortSignal;
  /** Milliseconds since epoch. */
  deadline: number;
  /** The `traceparent` (https://www.w3.org/TR/trace-context/) for requests of the tool; absent without a trace. */
  traceparent?: string;
  /** Whether the call's viewers want to read the messages that its server logs. */
  wantsLogs: boolean;
  /** `log`: set for a message that a server logged. */
  progress(progress: number, total?: number, message?: string, log?: LogOrigin): void;
  /**
   * Stores content in addition to the result: pictures are shown to the model and to people, other content is named.
   * Rejects with a `ToolError` over 8 MiB, and for the 33rd attachment of a call.
   */
  attach(attachment: Attachment): Promise<ArtifactReference>;
  /**
   * Asks the person of the conversation and waits, up to an hour if needed; no timeout runs meanwhile. Questions of one
   * call are asked one after the other. `signal` is aborted when the answer is no longer needed (the reply is then
   * `cancel`). Throws `ToolError`: `ValidationError` for a question that cannot be asked, `Cancelled` when the call is
   * stopped.
   */
  ask(question: Question, options?: { signal?: AbortSignal }): Promise<Reply>;
}

export interface ToolDescription {
  /** The tool's own name, unique in its toolset: `add`, `get-weather`. */
  own_name: string;
  description: string;
  /** JSON Schema of the arguments, an object schema. */
  input_schema: Record<string, unknown>;
  /** JSON Schema of the result's `data`; of an MCP tool, of its structured content. Data that breaks it is noted. */
  output_schema?: Record<string, unknown>;
  class: ToolClass;
  timeout_ms: number;
  /** `major.minor.patch`; absent: the toolset's. */
  version?: string;
}

/**
 * The seam to a callable tool: a local function or a tool of an MCP server. `run` resolves to a whole `ToolResult`
 * (`success` makes one from a payload), and may throw `ToolError` for a failure with a type. Arguments have been
 * validated against `input_schema`.
 */
export interface Tool {
  definition: ToolDescription;
  /** Only for the page of the tool: it is not announced. */
  about?: ToolAbout;
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}

/** A named group of tools, hosted together. `onChange` fires when `tools` changed. */
export interface ToolsetHost {
  /** `^[a-z0-9_]+$`: the queue is `tools.<name>`. */
  name: string;
  source: ToolSource;
  /** The MCP server's configured name, or the toolset's own. */
  server: string;
  version: string;
  /** Only for a toolset that keeps state for a user or a conversation. */
  scope?: Exclude<ToolScope, 'shared'>;
  /** Parallel calls in one worker, unless the deployment sets it; absent: the worker's default. */
  concurrency?: number;
  tools(): Tool[];
  /** Starts connecting; resolves at once or after the first attempt. */
  start(): Promise<void>;
  onChange(listener: () => void): void;
  stop(): Promise<void>;
}

/** A failure that the tool can name. */
export class ToolError extends Error {
  override name = 'ToolError';
  constructor(readonly detail: ErrorDetail) {
    super(detail.error_message);
  }
}

/**
 * The connection to the tool's back end broke while the call ran, so the worker does not know whether the call had an
 * effect.
 */
export class ToolConnectionLostError extends Error {
  override name = 'ToolConnectionLostError';
}
