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

/** How often one call may come back with further questions. */
const MAX_ROUNDS = 20;
/** Before a call is repeated that asks nothing but to be repeated. */
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
  /** Questions that it waits for now. */
  asking: number;
}

/** What the server wants before it goes on, by its own keys; `requestState` is handed back as it came. */
export interface RepeatWith {
  inputResponses?: Record<string, ElicitResult>;
  requestState?: string;
}

/** Questions of one server to the people whose calls it runs, in both forms of the protocol. */
export class Elicitation {
  private readonly calls = new Set<OpenCall>();

  constructor(private readonly clock: Pick<Clock, 'sleep'>) {}

  /**
   * One call to its result. A server of the new kind (2026-07-28) ends a call with what it wants to know, and is
   * called again with the answers; `call` does so once.
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
        if (round === MAX_ROUNDS) throw refusal(`It asked ${MAX_ROUNDS} times and still wants to know more.`);
        result = await call(await this.answerAll(open, result));
      }
      return result;
    } finally {
      this.calls.delete(open);
    }
  }

  /** A request in the middle of a call, as servers before 2026-07-28 ask; throws what the server is told. */
  async answer(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const call = this.callThatAsks();
    try {
      return await this.ask(call, params, signal);
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
        throw refusal(`It wants ${String(method).slice(0, 100)}, which it is not given here.`);
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
    signal?: AbortSignal,
  ): Promise<ElicitResult> {
    if (params?.mode === 'url')
      throw refusal('It wants to send the person to a web address, which is not done here.');
    const { message, requestedSchema: schema } = params;
    call.asking++;
    try {
      const { action, content } = await call.ask({ message, schema }, { signal });
      return { action, ...(content ? { content: content as ElicitResult['content'] } : {}) };
    } finally {
      call.asking--;
    }
  }

  /**
   * The old form does not say which call asks. Of calls of one conversation the first that does not ask yet is as
   * good as any, because it is the same person who answers; a question must never reach anybody else.
   */
  private callThatAsks(): OpenCall {
    const calls = [...this.calls];
    if (calls.length === 0) throw notAsked('no call of this server is under way');
    if (calls.some(({ conversationId }) => conversationId !== calls[0]!.conversationId))
      throw notAsked('calls of several conversations are under way, and it does not say which one asks');
    return calls.find(({ asking }) => asking === 0) ?? calls[0]!;
  }
}

function notAsked(why: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidRequest, `Nobody can be asked: ${why}.`);
}

function refusal(message: string): ToolError {
  return new ToolError({ error_type: 'ToolExecutionError', error_message: message });
}
