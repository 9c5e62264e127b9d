export type Operator = 'add' | 'multiply';

export type Token =
  | { type: 'number'; text: string }
  /** "the result", "it". */
  | { type: 'reference' }
  | { type: 'verb'; operator: Operator }
  | { type: 'infix'; operator: Operator | 'other' }
  /** A word that joins the operands of a verb: "add 3 and 4", "multiply 6 by 7". */
  | { type: 'joint'; isAnd: boolean }
  | { type: 'word' };

const RULES: [RegExp, (text: string) => Token][] = [
  [/(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?/y, (text) => ({ type: 'number', text })],
  [/(?:multiplied\s+by|times)\b|[*×·]/iy, () => ({ type: 'infix', operator: 'multiply' })],
  [/plus\b|\+/iy, () => ({ type: 'infix', operator: 'add' })],
  [/(?:minus|divided\s+by|modulo)\b|[-/÷](?=\s)/iy, () => ({ type: 'infix', operator: 'other' })],
  [/(?:add|(?:the\s+)?(?:sum|total)\s+of|sum(?:\s+up)?)\b/iy, () => ({ type: 'verb', operator: 'add' })],
  [/(?:multiply|(?:the\s+)?product\s+of)\b/iy, () => ({ type: 'verb', operator: 'multiply' })],
  [
    /(?:(?:the|this|that)\s+(?:result|sum|product|answer|number)|that|it|this)\b/iy,
    () => ({ type: 'reference' }),
  ],
  [/and\b/iy, () => ({ type: 'joint', isAnd: true })],
  [/(?:to|by|with)\b|,/iy, () => ({ type: 'joint', isAnd: false })],
  [/[\p{L}\p{N}_]+|\S/uy, () => ({ type: 'word' })],
];

export function tokenizeArithmetic(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at, tokens.at(-1));
    if (token) tokens.push(token.token);
    at = token ? token.end : at + 1;
  }
  return tokens;
}

function tokenAt(
  text: string,
  at: number,
  before: Token | undefined,
): { token: Token; end: number } | undefined {
  if (/\s/.test(text[at]!)) return undefined;
  const afterOperand = before?.type === 'number' || before?.type === 'reference';
  const negative = afterOperand ? null : matchAt(/-\d[\d,]*(?:\.\d+)?/y, text, at);
  if (negative) return { token: { type: 'number', text: negative }, end: at + negative.length };
  // "6 x 7", but not the x of "x-ray".
  if (afterOperand && matchAt(/x(?=\s*-?\d)/iy, text, at)) {
    return { token: { type: 'infix', operator: 'multiply' }, end: at + 1 };
  }
  for (const [pattern, make] of RULES) {
    const match = matchAt(pattern, text, at);
    if (match) return { token: make(match), end: at + match.length };
  }
  return undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
