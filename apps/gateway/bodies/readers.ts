import { readRun } from '../dialects/ag-ui/run-input.js';
import { mergeGraphTexts } from '../dialects/chat-artifacts/knowledge-graph.js';
import { readChat } from '../dialects/chat-artifacts/read-chat.js';
import { readCompletion } from '../dialects/openai/completion-request.js';

/**
 * What makes a request of a parsed body: pure, so that a thread can do it. What comes out is plain data of few values,
 * because it is copied from the thread: texts cost little, many small values much.
 */
export const READERS = {
  chat: readChat,
  completion: readCompletion,
  run: readRun,
  graphs: mergeGraphTexts,
} satisfies Record<string, (body: never) => unknown>;

export type ReaderName = keyof typeof READERS;
export type ReaderOutput<Name extends ReaderName> = ReturnType<(typeof READERS)[Name]>;
