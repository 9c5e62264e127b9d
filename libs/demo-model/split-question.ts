export interface Segment {
  text: string;
  /** True when it begins after everything before it has ended: "… then …". */
  isLater: boolean;
}

const LATER = /,?\s*\b(?:and\s+)?(?:then|after\s+that|afterwards|finally)\b[,:]?\s*/i;
const BESIDE =
  /;|\n+|[.?!](?=\s|$)|,?\s+and\s+(?:also\s+)?(?=(?:search|look\s+up|call|invoke|what|google|add|multiply)\b)/i;
const BREAK = new RegExp(`(${LATER.source})|${BESIDE.source}`, 'gi');

/** A question in the pieces that ask for one thing each. */
export function splitQuestion(question: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let isLater = false;
  for (const match of question.matchAll(BREAK)) {
    segments.push({ text: question.slice(start, match.index).trim(), isLater });
    isLater = match[1] !== undefined;
    start = match.index + match[0].length;
  }
  segments.push({ text: question.slice(start).trim(), isLater });
  return segments.filter((segment) => segment.text !== '');
}
