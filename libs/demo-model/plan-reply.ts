import { SUMMARY_INSTRUCTION, type ModelRequest, type ModelTool } from '#llm';
import { describeCapabilities, listTools } from './capabilities.js';
import { findExactly } from './find-tool.js';
import { followPlan } from './follow-plan.js';
import { forcedCall } from './forced-call.js';
import { longText } from './long-texts.js';
import { planCalls } from './plan-calls.js';
import { readTurn, type TurnSoFar } from './read-turn.js';
import { recall } from './recall.js';
import { say, type Reply } from './reply.js';
import { summarise } from './summarise.js';

/** What the demo model says: a function of the request alone. */
export function planReply(request: ModelRequest): Reply {
  if (request.system === SUMMARY_INSTRUCTION) return summarise(request.messages, request.summary);
  const forced = forcedCall(request);
  if (forced) return forced;
  const turn = readTurn(request.messages, request.summary);
  const reply = chooseReply(turn, request.tools);
  const isFirst = turn.rounds.length === 0;
  return isFirst && /\bthink\b/i.test(turn.question) ? { ...reply, thinking: thinkingAbout(reply) } : reply;
}

function chooseReply(turn: TurnSoFar, tools: ModelTool[]): Reply {
  const { question, rounds } = turn;
  if (rounds.length > 0) return followPlan(planCalls(question, tools), rounds);
  const fixed = longText(question) ?? echo(question);
  if (fixed) return fixed;
  if (/^(?:please\s+)?remember\b/i.test(question) && !findExactly(tools, 'memory', 'remember'))
    return say(recall(turn) ?? describeCapabilities(tools));
  if (/\b(?:which|what|list)\b.*\btools\b/i.test(question)) return say(listTools(tools));
  const remembered = /\bcall\s+me\b/i.test(question) ? recall(turn) : undefined;
  if (remembered) return say(remembered);
  const plan = planCalls(question, tools);
  if (plan.calls.length > 0) return followPlan(plan, []);
  if (plan.notes.length > 0) return say(plan.notes.join('\n\n'));
  return say(recall(turn) ?? greet(question) ?? describeCapabilities(tools));
}

function echo(question: string): Reply | undefined {
  const text = /^(?:please\s+)?(?:say|repeat|echo)(?:\s+after\s+me)?:?\s+(.+)$/is.exec(question)?.[1];
  return text === undefined ? undefined : say(text.replace(/^["“«](.*)["”»]$/s, '$1'));
}

function greet(question: string): string | undefined {
  if (/^(?:hi|hello|hey|good\s+(?:morning|day|evening))\b/i.test(question)) {
    return 'Hello! I am the built-in demo model. Ask me `what is 17 + 25?`, or say `help` to see what else I can do.';
  }
  return /^(?:thanks|thank\s+you)\b/i.test(question) ? 'You are welcome.' : undefined;
}

function thinkingAbout(reply: Reply): string {
  const names = reply.calls.map((call) => call.name).join(', ');
  return names === '' ? 'This needs no tool; I can answer at once.' : `This needs tools: ${names}.`;
}
