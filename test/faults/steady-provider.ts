import type { ReplyBlock, ScriptedReply } from '../fakes/messages-reply.js';
import {
  startStrictMessagesApi,
  type MessagesBody,
  type StrictMessagesApi,
} from '../fakes/strict-messages-api.js';
import { findPlan } from '../soak/plan.js';
import { wordsOf } from '../soak/said.js';

const WORDS = 6;
/** So that a process can be struck between two words. */
const PAUSE_MS = 20;

/** What the model of a simulated world says when it is steady, as the Messages API. */
export async function startSteadyProvider(): Promise<{
  env: Record<string, string>;
  api: StrictMessagesApi;
}> {
  let requests = 0;
  const api = await startStrictMessagesApi({ script: (body) => answer(body, ++requests) });
  const env = {
    MODEL: 'anthropic/claude-sonnet-5-5',
    ANTHROPIC_API_KEY: 'sk-ant-test-0123456789',
    ANTHROPIC_BASE_URL: api.url,
  };
  return { env, api };
}

function answer({ messages }: MessagesBody, request: number): ScriptedReply {
  const found = findPlan(messages);
  if (!found) return { status: 400, message: 'no plan was found' };
  const { plan, stepsTaken } = found;
  const uses = (plan.steps[stepsTaken] ?? []).map(({ tool, takesMs }, i): ReplyBlock => ({
    type: 'tool_use',
    id: `toolu_${request}_${i}`,
    name: `trace__${tool}`,
    input: { label: `${plan.name} r${request}.${i}`, takes_ms: takesMs },
  }));
  return {
    content: [{ type: 'text', chunks: wordsOf(request, WORDS) }, ...uses],
    eventDelayMs: PAUSE_MS,
  };
}
