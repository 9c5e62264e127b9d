import type { MessageReply, ReplyBlock, ScriptedReply } from '../fakes/messages-reply.js';
import {
  startStrictMessagesApi,
  type MessagesBody,
  type StrictMessagesApi,
} from '../fakes/strict-messages-api.js';
import { findPlan } from './plan.js';
import type { Random } from './random.js';
import { wordsOf } from './said.js';

/** The model of a soak: the strict Messages API, answering as each message plans, now and then overloaded or broken off. */
export class SoakProvider {
  private requests = 0;
  private api!: StrictMessagesApi;

  private constructor(private readonly random: Random) {}

  static async start(random: Random): Promise<SoakProvider> {
    const provider = new SoakProvider(random);
    provider.api = await startStrictMessagesApi({ script: (body) => provider.answer(body) });
    return provider;
  }

  get env(): Record<string, string> {
    return {
      MODEL: 'anthropic/claude-sonnet-5-5',
      ANTHROPIC_API_KEY: 'sk-ant-test-0123456789',
      ANTHROPIC_BASE_URL: this.api.url,
    };
  }

  get requestCount(): number {
    return this.requests;
  }

  get violations(): string[] {
    return this.api.violations.map(({ message }) => message);
  }

  close(): Promise<void> {
    return this.api.close();
  }

  private answer({ messages }: MessagesBody): ScriptedReply {
    const request = ++this.requests;
    // The fake keeps every request, which nobody reads here.
    this.api.requests.splice(0);
    const { random } = this;
    if (random.chance(0.02)) return { status: 529, type: 'overloaded_error', message: 'Overloaded' };
    const found = findPlan(messages);
    if (!found) return { status: 400, message: 'no plan was found' };
    const calls = found.plan.steps[found.stepsTaken] ?? [];
    const text: ReplyBlock = { type: 'text', chunks: wordsOf(request, random.integer(3, 25)) };
    const uses = calls.map(({ tool, takesMs }, i): ReplyBlock => ({
      type: 'tool_use',
      id: `toolu_${request}_${i}`,
      name: `trace__${tool}`,
      input: { label: `${found.plan.name} r${request}.${i}`, takes_ms: takesMs },
    }));
    const reply: MessageReply = { content: [text, ...uses], eventDelayMs: random.integer(5, 60) };
    return random.chance(0.02) ? { ...reply, breakOff: 'cut' } : reply;
  }
}
