import type { ModelMessage } from '#llm';

export interface ToolAnswer {
  name: string;
  text: string;
  isError: boolean;
}

/** The conversation as the demo model reads it. */
export interface Conversation {
  question: string;
  /** What the user said before, oldest first. */
  earlierQuestions: string[];
  /** Results of the calls for this question, one list for each step. */
  answers: ToolAnswer[][];
  /** The last result of earlier turns. */
  lastEarlierAnswer: ToolAnswer | undefined;
}

/** Notes that replace an answer that broke off. */
const NOTE = /^\[.*\]$/s;
const MAX_SUMMARY_LINE = 200;
const MAX_SUMMARY_LINES = 40;
/** What the user said, and the lines of an earlier summary. */
const SAID = /^(?:User: |- )(?!\[)(.+)$/gm;

export function readConversation(messages: ModelMessage[], summary = ''): Conversation {
  const asks = ({ role, content }: ModelMessage) =>
    role === 'user' && content.some(({ type }) => type === 'text');
  const next = messages.findLastIndex(asks) + 1;
  const earlier = messages.slice(0, next);
  const questions = textsOf('user', earlier);
  return {
    question: questions.at(-1) ?? '',
    earlierQuestions: [
      ...[...summary.matchAll(/^- (.+)$/gm)].map(([, said]) => said!),
      ...questions.slice(0, -1).filter((text) => !NOTE.test(text)),
    ],
    answers: readAnswers(messages.slice(next)),
    lastEarlierAnswer: readAnswers(earlier).flat().at(-1),
  };
}

export function textsOf(role: ModelMessage['role'], messages: ModelMessage[]): string[] {
  return messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) => content.flatMap((item) => (item.type === 'text' ? [item.text.trim()] : [])));
}

function readAnswers(messages: ModelMessage[]): ToolAnswer[][] {
  const nameOf = new Map<string, string>();
  const answers: ToolAnswer[][] = [];
  for (const { content } of messages) {
    const round: ToolAnswer[] = [];
    for (const item of content) {
      if (item.type === 'tool_use') nameOf.set(item.tool_call_id, item.name);
      if (item.type !== 'tool_result') continue;
      round.push({ name: nameOf.get(item.tool_call_id) ?? 'tool', text: item.text, isError: item.is_error });
    }
    if (round.length > 0) answers.push(round);
  }
  return answers;
}

/** Answers "what did I say first?", "… before?" and "what was the last result?". */
export function recall({ question, earlierQuestions, lastEarlierAnswer }: Conversation): string | undefined {
  if (/\bwhat\s+was\s+the\s+last\s+result\b/i.test(question))
    return lastEarlierAnswer
      ? `The last result was **${lastEarlierAnswer.text}**.`
      : 'There was no result yet.';
  const which = /\bwhat\s+did\s+I\s+say\s+(?:just\s+)?(first|before)\b/i.exec(question)?.[1]?.toLowerCase();
  if (which === undefined) return undefined;
  const said = which === 'first' ? earlierQuestions[0] : earlierQuestions.at(-1);
  return said === undefined ? 'This is the first thing you said.' : `You said “${said}”.`;
}

/** Keeps what the user said, which is all that `recall` needs. */
export function summarise(messages: ModelMessage[], earlier = ''): string {
  const conversation = [earlier, ...textsOf('user', messages)].join('\n');
  const lines = [...conversation.matchAll(SAID)].map(([, said]) => `- ${said!.slice(0, MAX_SUMMARY_LINE)}`);
  const kept = [...new Set(lines)];
  const shown = kept.length <= MAX_SUMMARY_LINES ? kept : [kept[0]!, ...kept.slice(1 - MAX_SUMMARY_LINES)];
  return ['The user said, in this order:', ...shown].join('\n');
}
