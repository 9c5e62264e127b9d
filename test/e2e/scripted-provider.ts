import type { ScriptedReply } from '../fakes/messages-reply.js';
import {
  startStrictMessagesApi,
  type MessagesBody,
  type StrictMessagesApi,
} from '../fakes/strict-messages-api.js';

/** The strict fake of the Messages API, answering from a list that tests append to. */
export class ScriptedProvider {
  private constructor(
    private readonly api: StrictMessagesApi,
    private readonly replies: ScriptedReply[],
  ) {}

  static async start(): Promise<ScriptedProvider> {
    const replies: ScriptedReply[] = [];
    const unexpected = { status: 400, message: 'the test did not expect this request' };
    const api = await startStrictMessagesApi({ script: () => replies.shift() ?? unexpected });
    return new ScriptedProvider(api, replies);
  }

  /** What a process needs to use it. */
  get env(): Record<string, string> {
    return {
      MODEL: 'anthropic/claude-sonnet-5-5',
      ANTHROPIC_API_KEY: 'sk-ant-test-0123456789',
      ANTHROPIC_BASE_URL: this.api.url,
    };
  }

  get violations(): StrictMessagesApi['violations'] {
    return this.api.violations;
  }

  /** Replies that no request has asked for yet. */
  get unused(): number {
    return this.replies.length;
  }

  /** Accepted requests so far. */
  get requests(): StrictMessagesApi['requests'] {
    return this.api.requests;
  }

  /** The answers to the next requests, in order. */
  answer(...replies: ScriptedReply[]): void {
    this.replies.push(...replies);
  }

  /** The messages of the newest request, without the marks for the provider's cache. */
  get lastMessages(): MessagesBody['messages'] {
    const { body } = this.requests.at(-1)!;
    const dropMark = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value);
    return JSON.parse(JSON.stringify(body.messages, dropMark)) as MessagesBody['messages'];
  }

  close(): Promise<void> {
    return this.api.close();
  }
}

/** A promise and the function that fulfils it. */
export function gate(): { until: Promise<void>; open: () => void } {
  let open = () => {};
  const until = new Promise<void>((resolve) => (open = resolve));
  return { until, open };
}
