import { MAX_CONTENT_LENGTH } from '#contracts';
import type { BodyReader } from '../../door/bodies/body-reader.js';
import { RequestError } from '../../errors/request-error.js';
import { parseRequest } from '../../http/parse.pipe.js';
import { foldHistory, type Exchange } from '../../turns/fold-history.js';
import { digestHistory, type HistoryDigest } from '../identity/history-key.js';
import type { Pinned } from './answer-parts.js';
import { newestExchanges, historyMessages } from './chat-history.js';
import { chatRequestSchema, type ChatRequest } from './chat-request.js';
import { contextOf, draftsOf, pinnedOf } from './pinned.js';

/** A request without its large parts, which are reduced to what a turn needs. */
export interface ParsedChat {
  request: Omit<ChatRequest, 'history' | 'pinnedArtifacts' | 'pinnedGraph'>;
  /** The text before the message. */
  context: string | undefined;
  pinned: Pinned;
  /** All exchanges before the message, and the part that is worth writing. */
  said: HistoryDigest;
  written: Exchange[];
}

/** Throws `RequestError`. */
export function readChat(body: unknown): ParsedChat {
  const {
    history = [],
    pinnedArtifacts,
    pinnedGraph,
    attachments,
    ...request
  } = parseRequest(chatRequestSchema, body);
  if (request.message.length > MAX_CONTENT_LENGTH)
    throw new RequestError('content_too_long', `A message has at most ${MAX_CONTENT_LENGTH} characters.`);
  const drafts = draftsOf({ pinnedArtifacts, pinnedGraph });
  const said = historyMessages(history, request.message);
  return {
    request: { ...request, attachments: attachments?.map(({ name, varName }) => ({ name, varName })) },
    context: contextOf(drafts),
    pinned: pinnedOf(drafts),
    said: digestHistory(foldHistory(said)),
    written: newestExchanges(said),
  };
}

export const chatReader: BodyReader<ParsedChat> = {
  module: import.meta.url,
  name: 'readChat',
  read: readChat,
};
