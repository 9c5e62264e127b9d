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

/** A request without what may be large: that is read into what a turn needs of it. */
export interface ParsedChat {
  request: Omit<ChatRequest, 'history' | 'pinnedArtifacts' | 'pinnedGraph'>;
  /** What stands before the message. */
  context: string | undefined;
  pinned: Pinned;
  /** Everything that was said before the message, and what of it is worth writing. */
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
