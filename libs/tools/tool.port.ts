import type {
  ArtifactReference,
  ErrorDetail,
  InputAction,
  ToolClass,
  ToolResult,
  ToolScope,
  ToolSource,
} from '#contracts';

/** Output that is no text for the model, or too much of it: kept as an artifact of the conversation. */
export interface Attachment {
  /** At most 8 MiB; a string is UTF-8. */
  content: Uint8Array | string;
  /** MIME type; of pictures it is checked. */
  contentType: string;
  /** A file name for people. */
  name?: string;
}

/** What a tool asks its person: a sentence, and one level of fields as JSON Schema (see `questionSchemaSchema`). */
export interface Question {
  message: string;
  schema: Record<string, unknown>;
}

/** `cancel`: nobody answered in time. Only `accept` has content, which fits the schema. */
export interface Reply {
  action: InputAction;
  content?: Record<string, unknown>;
}

/** Where a logged message comes from. */
export interface LogOrigin {
  level: string;
  /** The server's own name for it, or the server. */
  logger: string;
}

/** What a running tool knows of its call. */
export interface ToolContext {
  toolCallId: string;
  turnId: string;
  conversationId: string;
  userId: string;
  /** 1 for the first start, more when a `read`, `idempotent` or `keyed` call runs again. */
  attempt: number;
  /** Aborted by Stop, and by the timeout (reason `TimeoutError`). */
  signal: AbortSignal;
  /** Milliseconds since epoch. */
  deadline: number;
  /** Viewers of the call want to read what its server logs. */
  wantsLogs: boolean;
  /** `log`: the message is one that a server logged. */
  progress(progress: number, total?: number, message?: string, log?: LogOrigin): void;
  /**
   * Keeps content besides the result: pictures are shown to the model and to people, anything else is named. Rejects
   * with a `ToolError` over 8 MiB, and for the 33rd of a call.
   */
  attach(attachment: Attachment): Promise<ArtifactReference>;
  /**
   * Asks the person of the conversation and waits, if need be for an hour; meanwhile no timeout runs. Questions of
   * one call are asked one after the other. `signal`: nobody waits for this answer any more (then `cancel`).
   * Throws `ToolError`: `ValidationError` for a question that cannot be asked, `Cancelled` when the call is stopped.
   */
  ask(question: Question, options?: { signal?: AbortSignal }): Promise<Reply>;
}

export interface ToolDescription {
  /** The tool's own name, unique in its toolset: `add`, `get-weather`. */
  own_name: string;
  description: string;
  /** JSON Schema of the arguments, an object schema. */
  input_schema: Record<string, unknown>;
  class: ToolClass;
  timeout_ms: number;
}

/**
 * The seam to something that can be called: a local function or a tool of an MCP server. `run` resolves to a whole
 * `ToolResult` (`success` makes one of a payload), and may throw `ToolError` for a failure with a type.
 * Arguments have been validated against `input_schema`.
 */
export interface Tool {
  definition: ToolDescription;
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}

/** A named group of tools, hosted together. `onChange` fires when `tools` did. */
export interface ToolsetHost {
  /** `^[a-z0-9_]+$`: the queue is `tools.<name>`. */
  name: string;
  source: ToolSource;
  /** The MCP server's configured name, or the toolset's own. */
  server: string;
  version: string;
  /** Only of a toolset that keeps something for a user or a conversation. */
  scope?: Exclude<ToolScope, 'shared'>;
  /** Calls at once in one worker, unless the deployment sets it; absent: the worker's own. */
  concurrency?: number;
  tools(): Tool[];
  /** Starts connecting; resolves at once or after the first try. */
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
 * The connection to the tool's back end broke while the call ran: whether it had an effect is unknown to the worker.
 */
export class ToolConnectionLostError extends Error {
  override name = 'ToolConnectionLostError';
}
