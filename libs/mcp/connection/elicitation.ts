import {
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ElicitRequestParams,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import type { Clock } from '#time';
import { ToolError, type Slot, type ToolContext } from '#tools';

/** How often one call may ask further questions. */
const MAX_ROUNDS = 20;
/** Before a call is repeated that asks for a repeat without a question. */
const REPEAT_PAUSE_MS = 500;

export type Asker = Pick<ToolContext, 'conversationId' | 'ask' | 'signal'>;

/** The person whose call runs. While this person answers a question, the call's slot is free for other calls. */
export function releaseSlotWhileAsking(
  { conversationId, signal, ask }: Asker,
  slot: Slot,
  onAsking: () => void,
): Asker {
  return {
    conversationId,
    signal,
    ask: async (question, options) => {
      onAsking();
      slot.lend();
      try {
        return await ask(question, options);
      } finally {
        await slot.takeBack();
      }
    },
  };
}

interface OpenCall extends Asker {
  /** Questions of this call that wait for an answer. */
  asking: number;
}

/** The answers that the server wants, by its own keys; `requestState` is returned unchanged. */
export interface RepeatWith {
  inputResponses?: Record<string, ElicitResult>;
  requestState?: string;
}

/** A server's questions to the people whose calls it runs, in both forms of the protocol. */
export class Elicitation {
  private readonly calls = new Set<OpenCall>();

  constructor(private readonly clock: Pick<Clock, 'sleep'>) {}

  /**
   * Runs one call up to its result. From 2026-07-28 on, a server ends a call with its questions and is called again
   * with the answers; `call` makes one such request.
   */
  async during(
    asker: Asker,
    call: (repeatWith: RepeatWith) => Promise<CallToolResult>,
  ): Promise<CallToolResult> {
    const open: OpenCall = { ...asker, asking: 0 };
    this.calls.add(open);
    try {
      let result = await call({});
      for (let round = 0; isInputRequiredResult(result); round++) {
        if (round === MAX_ROUNDS)
          throw refusal(
            `The server asked ${MAX_ROUNDS} rounds of questions in one call, which is the limit.`,
          );
        result = await call(await this.answerAll(open, result));
      }
      return result;
    } finally {
      this.calls.delete(open);
    }
  }

  /** Answers a request in the middle of a call, as servers before 2026-07-28 send it. Throws the server's error response. */
  async answer(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const call = this.callThatAsks();
    try {
      const among = this.calls.size > 1 ? { among: this.calls.size } : {};
      return await this.ask(call, params, { signal, ...among });
    } catch (error) {
      if (call.signal.aborted) return { action: 'cancel' };
      const message = error instanceof ToolError ? error.message : 'The question could not be asked.';
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
    }
  }

  private async answerAll(
    call: OpenCall,
    { inputRequests = {}, requestState }: { inputRequests?: object; requestState?: string },
  ): Promise<RepeatWith> {
    const wanted = Object.entries(inputRequests) as [string, { method?: unknown; params?: unknown }][];
    const inputResponses: Record<string, ElicitResult> = {};
    for (const [key, { method, params }] of wanted) {
      if (method !== 'elicitation/create')
        throw refusal(`The server requested ${String(method).slice(0, 100)}, which is not supported.`);
      inputResponses[key] = await this.ask(call, params as ElicitRequestParams);
    }
    if (wanted.length === 0) await this.clock.sleep(REPEAT_PAUSE_MS, call.signal);
    return {
      ...(wanted.length > 0 ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
  }

  private async ask(
    call: OpenCall,
    params: ElicitRequestParams,
    { signal, ...more }: { signal?: AbortSignal; among?: number } = {},
  ): Promise<ElicitResult> {
    if (params?.mode === 'url')
      throw refusal('The server asked to open a web address, which is not supported.');
    const { message, requestedSchema: schema } = params;
    call.asking++;
    try {
      const { action, content } = await call.ask({ message, schema, ...more }, { signal });
      return { action, ...(content ? { content: content as ElicitResult['content'] } : {}) };
    } finally {
      call.asking--;
    }
  }

  /**
   * The old form does not say which call asks. When all calls belong to one conversation, any call will do, because the
   * same person answers; the first one without an open question is taken. A question must never reach another person.
   */
  private callThatAsks(): OpenCall {
    const calls = [...this.calls];
    if (calls.length === 0) throw notAsked('no call of this server is running');
    if (calls.some(({ conversationId }) => conversationId !== calls[0]!.conversationId))
      throw notAsked(
        'calls of several conversations are running, and the request does not say which one asks',
      );
    return calls.find(({ asking }) => asking === 0) ?? calls[0]!;
  }
}

function notAsked(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, `No one can be asked: ${why}.`);
}

function refusal(message: string): ToolError {
  return new ToolError({ error_type: 'ToolExecutionError', error_message: message });
}
