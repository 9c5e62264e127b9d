import type { ArtifactReference, ErrorDetail, ToolClass, ToolResult, ToolSource } from '#contracts';

/** Output that is no text for the model, or too much of it: kept as an artifact of the conversation. */
export interface Attachment {
  /** At most 8 MiB; a string is UTF-8. */
  content: Uint8Array | string;
  /** MIME type; of pictures it is checked. */
  contentType: string;
  /** A file name for people. */
  name?: string;
}

/** What a running tool knows of its call. */
export interface ToolContext {
  toolCallId: string;
  conversationId: string;
  userId: string;
  /** 1 for the first start, more when a `read`, `idempotent` or `keyed` call runs again. */
  attempt: number;
  /** Aborted by Stop, by the timeout, and when the worker drains. */
  signal: AbortSignal;
  /** Milliseconds since epoch. */
  deadline: number;
  progress(progress: number, total?: number, message?: string): void;
  /**
   * Keeps content beside the result: pictures are shown to the model and to people, anything else is named. Rejects
   * with a `ToolError` over 8 MiB, and for the 33rd of a call.
   */
  attach(attachment: Attachment): Promise<ArtifactReference>;
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

/** A named group of tools, hosted together. `onChange` fires when `tools` or `available` did. */
export interface ToolsetHost {
  /** `^[a-z0-9_]+$`: the queue is `tools.<name>`. */
  name: string;
  source: ToolSource;
  /** The MCP server's configured name, or the toolset's own. */
  server: string;
  version: string;
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

/** The connection to the tool's back end broke while the call ran: whether it had an effect is unknown to the worker. */
export class ToolConnectionLostError extends Error {
  override name = 'ToolConnectionLostError';
}
