import type { ModelMessage } from '#llm';
import { linesOfSummary } from './summarise.js';

export interface ToolAnswer {
  name: string;
  text: string;
  isError: boolean;
}

/** The conversation as the demo model reads it. */
export interface TurnSoFar {
  question: string;
  /** What the user said before, oldest first. */
  earlierQuestions: string[];
  /** Results of the tools that this question has led to, one list per step. */
  rounds: ToolAnswer[][];
  /** The last tool result of the turns before. */
  lastEarlierAnswer: ToolAnswer | undefined;
}

/** Notes that stand for an answer which broke off. */
const NOTE = /^\[.*\]$/s;

export function readTurn(messages: ModelMessage[], summary = ''): TurnSoFar {
  const start = messages.findLastIndex((message) => hasText(message));
  const questions = messages.slice(0, start + 1).flatMap(textsOf);
  const earlierAnswers = readRounds(messages.slice(0, start + 1)).flat();
  return {
    question: questions.at(-1) ?? '',
    earlierQuestions: [
      ...linesOfSummary(summary),
      ...questions.slice(0, -1).filter((text) => !NOTE.test(text)),
    ],
    rounds: readRounds(messages.slice(start + 1)),
    lastEarlierAnswer: earlierAnswers.at(-1),
  };
}

function hasText(message: ModelMessage): boolean {
  return message.role === 'user' && message.content.some((item) => item.type === 'text');
}

function textsOf(message: ModelMessage): string[] {
  if (message.role !== 'user') return [];
  return message.content.flatMap((item) => (item.type === 'text' ? [item.text.trim()] : []));
}

function readRounds(messages: ModelMessage[]): ToolAnswer[][] {
  const nameOf = new Map<string, string>();
  const rounds: ToolAnswer[][] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const block of message.content) {
        if (block.type === 'tool_use') nameOf.set(block.tool_call_id, block.name);
      }
      continue;
    }
    const answers = message.content.flatMap((item) =>
      item.type === 'tool_result'
        ? [{ name: nameOf.get(item.tool_call_id) ?? 'tool', text: item.text, isError: item.is_error }]
        : [],
    );
    if (answers.length > 0) rounds.push(answers);
  }
  return rounds;
}
