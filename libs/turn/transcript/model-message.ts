import type { Block } from '#contracts';

/**
 * One message of the transcript, provider-neutral. Roles alternate, starting with `user`; every `tool_use` of an
 * assistant message is answered by exactly one `tool_result` at the front of the next user message.
 */
export type ModelMessage = { role: 'user'; content: UserContent[] } | { role: 'assistant'; content: Block[] };

/** A picture that a call produced. Histories only name it; the code that builds a request loads it by its id. */
export interface ImageReference {
  artifact_id: string;
  content_type: string;
  /** Bytes. */
  size: number;
}

export type UserContent =
  /**
   * `summary`: no one said this text; it replaces everything said before. The code that builds a request puts it where
   * no user can write.
   */
  | { type: 'text'; text: string; summary?: true }
  | {
      type: 'tool_result';
      tool_call_id: string;
      text: string;
      is_error: boolean;
      images?: ImageReference[];
    };
