import { checkChatRequest, type ChatService } from './chat-request-rules.js';
import type { Json } from './messages-refusal.js';
import { startScriptedApi, type ErrorReply, type RawReply, type ScriptedApi } from './scripted-api.js';

export type ChatBody = Json & { model: string; messages: Json[]; tools?: { function: Json }[] };

export type StrictChatApi = ScriptedApi<ChatBody> & { baseUrl: string };

/** `index` counts the accepted requests from 0. */
export type ChatScript = (
  body: ChatBody,
  index: number,
) => RawReply | ErrorReply | Promise<RawReply | ErrorReply>;

const PATHS: Record<ChatService, string> = {
  openai: '/v1',
  gemini: '/v1beta/openai',
  ollama: '/v1',
  compatible: '/v1',
};

/**
 * Chat Completions of one service as a local server that refuses what the real one refuses (400, in its words, counted
 * in `violations`) and answers the rest as the script says.
 */
export async function startStrictChatApi({
  service,
  script,
}: {
  service: ChatService;
  script: ChatScript;
}): Promise<StrictChatApi> {
  const path = PATHS[service];
  const api = await startScriptedApi<ChatBody, RawReply>(
    {
      path: `${path}/chat/completions`,
      check: (headers, body) => checkChatRequest(service, headers, body),
      errorBody: ({ status, type, message }) =>
        service === 'gemini'
          ? [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }]
          : { error: { message, type, param: null, code: null } },
      answer: () => Promise.reject(new Error('the script answers in raw bodies only')),
    },
    script,
  );
  return { ...api, baseUrl: `${api.url}${path}` };
}
