import { SUGGESTED_KEY, SUGGESTED_MODEL, SUMMARY_INSTRUCTION, type ModelRequest } from '#llm';
import { readConversation, recall, summarise } from './conversation.js';
import { forcedCall } from './forced-call.js';
import { followPlan, planCalls, type ToolUse } from './planned-calls.js';

/** The demo model's reply to one request. */
export interface Reply {
  thinking?: string;
  text: string;
  calls: ToolUse[];
  /** The factor by which it speaks slower than usual; default 1. */
  slowness?: number;
}

const MAX_COUNT = 2_000;

const HELP = `I am the built-in **demo model**: my answers follow fixed rules and need no network. Try:

- \`what is 17 + 25 and 6 * 7?\`
- \`search the documents for side effects\`, or \`search the web for …\`
- \`call math add with {"a": 1, "b": 2} then call time now with {}\`, for any tool on offer
- \`count to 500\` or \`count slowly to 50\`, to try Stop and reloading
- \`say …\`, and then \`what did I say before?\`, \`what did I say first?\`, \`what was the last result?\`

For a real model set \`MODEL=${SUGGESTED_MODEL}\` and \`${SUGGESTED_KEY}\`, then restart.`;

/** A function of the request alone. */
export function replyTo(request: ModelRequest): Reply {
  if (request.system === SUMMARY_INSTRUCTION) return say(summarise(request.messages, request.summary));
  const forced = forcedCall(request);
  if (forced) return { text: '', calls: [forced] };
  const conversation = readConversation(request.messages, request.summary);
  const { question, answers } = conversation;
  if (answers.length > 0) return followPlan(planCalls(question, request.tools), answers);
  const text = echo(question) ?? recall(conversation);
  if (text !== undefined) return say(text);
  const reply = count(question) ?? plannedReply(request, question);
  return /\bthink\b/i.test(question) ? { ...reply, thinking: thinkingAbout(reply) } : reply;
}

function plannedReply({ tools }: ModelRequest, question: string): Reply {
  const plan = planCalls(question, tools);
  if (plan.rounds.length > 0) return followPlan(plan, []);
  return say(plan.notes.length > 0 ? plan.notes.join('\n\n') : HELP);
}

function say(text: string): Reply {
  return { text, calls: [] };
}

function echo(question: string): string | undefined {
  return /^say\s+(.+)$/is.exec(question)?.[1]?.replace(/^["“](.*)["”]$/s, '$1');
}

function count(question: string): Reply | undefined {
  const [, slowly, to] = /\bcount\s+(slowly\s+)?to\s+(\d+)/i.exec(question) ?? [];
  if (to === undefined) return undefined;
  const last = Number(to);
  if (last < 1 || last > MAX_COUNT) return say(`I count from 1, and to ${MAX_COUNT} at most.`);
  const numbers = Array.from({ length: last }, (_, index) => index + 1);
  return { ...say(numbers.join(' ')), slowness: slowly ? 10 : 1 };
}

function thinkingAbout({ calls }: Reply): string {
  const names = calls.map(({ name }) => name).join(', ');
  return names === '' ? 'This needs no tool; I can answer at once.' : `This needs tools: ${names}.`;
}
