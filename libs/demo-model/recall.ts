import type { TurnSoFar } from './read-turn.js';

const STATED = /\bmy\s+((?:[\w'-]+\s+){0,3}?[\w'-]+)\s+is\s+([^.!?\n,;]+)/i;
const NAMED =
  /\b(?:my\s+name\s+is|call\s+me|i(?:\s+am|'m|’m)\s+called)\s+([\p{L}][\p{L}\p{M}'’-]*(?:\s+\p{Lu}[\p{L}'’-]*)*)/iu;
const REMEMBER = /^(?:please\s+)?remember(?:\s+(?:that|this|the\s+number|the\s+word))?:?\s+(.+?)[.!]*$/is;

/** The answer to something said or asked about the conversation itself. */
export function recall(turn: TurnSoFar): string | undefined {
  return answerAboutPast(turn) ?? acknowledge(turn.question);
}

function answerAboutPast({ question, earlierQuestions, lastEarlierAnswer }: TurnSoFar): string | undefined {
  if (/\bwhat\b.*\bmy\s+name\b|\bwho\s+am\s+i\b/i.test(question)) {
    const name = findLast(earlierQuestions, NAMED);
    return name ? `Your name is **${name}**.` : 'You have not told me your name yet.';
  }
  if (
    /\bwhat\b.*\bi\b.*\b(?:ask|say|said|write|wrote)\b.*\bfirst\b|\bmy\s+first\s+(?:question|message)\b/i.test(
      question,
    )
  ) {
    return quote('You began with', earlierQuestions[0]);
  }
  if (
    /\bwhat\b.*\bi\b.*\b(?:ask|say|said|write|wrote)\b.*\b(?:before|last|just)\b|\bmy\s+last\s+(?:question|message)\b/i.test(
      question,
    )
  ) {
    return quote('Before this you said', earlierQuestions.at(-1));
  }
  if (/^(?:which|what)\s+(?:number|word)\b|\bwhat\b.*\bremember\b/i.test(question)) {
    const remembered = findLast(earlierQuestions, REMEMBER);
    return remembered
      ? `You asked me to remember **${remembered}**.`
      : 'You have not asked me to remember anything yet.';
  }
  if (/\bwhat\s+was\s+(?:the|that)\s+(?:last\s+)?(?:result|answer)\b/i.test(question)) {
    return lastEarlierAnswer
      ? `The last result was **${lastEarlierAnswer.text}**.`
      : 'There was no result yet.';
  }
  return answerAboutFact(question, earlierQuestions);
}

/** "What is my favourite colour?" */
function answerAboutFact(question: string, earlierQuestions: string[]): string | undefined {
  const subject = /\bwhat(?:'s|’s|\s+is|\s+was)\s+my\s+([\w\s'-]+?)\s*\?*$/i.exec(question)?.[1];
  if (!subject) return undefined;
  for (const text of earlierQuestions.toReversed()) {
    const stated = STATED.exec(text);
    if (stated?.[1]?.toLowerCase() === subject.toLowerCase())
      return `Your ${subject} is **${stated[2]!.trim()}**.`;
  }
  return `You have not told me your ${subject} yet.`;
}

function acknowledge(question: string): string | undefined {
  const remembered = REMEMBER.exec(question)?.[1];
  if (remembered) return `I will remember **${remembered}**.`;
  const name = NAMED.exec(question)?.[1];
  if (name) return `Nice to meet you, **${name}**.`;
  const stated = STATED.exec(question);
  return stated && !question.includes('?')
    ? `Noted: your ${stated[1]!} is **${stated[2]!.trim()}**.`
    : undefined;
}

function findLast(texts: string[], pattern: RegExp): string | undefined {
  return texts
    .toReversed()
    .map((text) => pattern.exec(text)?.[1])
    .find((match) => match !== undefined);
}

function quote(before: string, text: string | undefined): string {
  return text === undefined ? 'This is the first thing you said.' : `${before}: “${text}”`;
}
