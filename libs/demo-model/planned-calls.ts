import type { ModelTool } from '#llm';
import type { ToolAnswer } from './conversation.js';

export interface ToolUse {
  name: string;
  arguments: Record<string, unknown>;
}

interface PlannedCall extends ToolUse {
  /** The words after "I will". */
  intention: string;
  /** Puts a result into the answer. Without this function, the answer quotes the result. */
  present?(result: string): string;
}

/** The tool calls that a message asks for. */
export interface Plan {
  /** Calls of one round run in parallel, each round after the end of the one before. */
  rounds: PlannedCall[][];
  /** The reason why a requested call is not made. */
  notes: string[];
}

const MAX_PARALLEL = 16;
const MAX_RESULT_LENGTH = 4_000;

const WORD = String.raw`[^\s{}]{1,64}`;
const CALL = String.raw`\bcall (?<tool>${WORD}(?: ${WORD}){0,5}?) (?:with )?(?=\{)`;
const OPERATOR = String.raw`(?:\+|[*×]|plus\b|times\b)`;
// A sum within a longer one, or with decimals, is not matched, because its answer would be wrong.
const NOT_AFTER = String.raw`(?<![\w.,]|(?:[-+*×/]|plus|times)\s{0,9})`;
const NOT_BEFORE = String.raw`(?!\w|[.,]\d|\s*(?:[-+*×/]|plus|times)\s*\d)`;
const NUMBER = String.raw`-?\d{1,15}`;
const SUM = `${NOT_AFTER}(?<left>${NUMBER})\\s*(?<operator>${OPERATOR})\\s*(?<right>${NUMBER})${NOT_BEFORE}`;

const SEARCH = /\bsearch\s+(?:the\s+)?(documents?|docs|web)\s+(?:for|about)\s+(.+)/i;

/** Reads sums ("17 + 25"), calls ("call math add with {…}"), "then" between them, or else a search. */
export function planCalls(message: string, tools: ModelTool[]): Plan {
  const rounds: PlannedCall[][] = [[]];
  const notes: string[] = [];
  const add = (found: PlannedCall | string) => {
    if (typeof found === 'string') notes.push(found);
    else rounds.at(-1)!.push(found);
  };
  const sentence = new RegExp(`\\bthen\\b|${CALL}|${SUM}`, 'gi');
  for (let match = sentence.exec(message); match; match = sentence.exec(message)) {
    const { tool, left, operator, right } = match.groups!;
    if (tool !== undefined) {
      const end = endOfObject(message, sentence.lastIndex);
      const args = parseObject(message.slice(sentence.lastIndex, end));
      add(args ? directCall(tool, args, tools) : `The arguments of \`${tool}\` are not valid JSON.`);
      sentence.lastIndex = end;
    } else if (left !== undefined) add(sum(Number(left), operator!, Number(right), tools));
    else rounds.push([]);
  }
  const search = SEARCH.exec(message);
  if (search && notes.length === 0 && rounds.flat().length === 0) add(searchCall(search, tools));
  const asked = rounds.filter((calls) => calls.length > 0);
  return { rounds: asked.map((calls) => calls.slice(0, MAX_PARALLEL)), notes: [...new Set(notes)] };
}

function directCall(wanted: string, args: Record<string, unknown>, tools: ModelTool[]): PlannedCall | string {
  const key = toKey(wanted);
  const tool = tools.find(({ name }) => toKey(name) === key);
  if (!tool) return `There is no tool like \`${wanted}\` on offer.`;
  return { name: tool.name, arguments: args, intention: `call \`${tool.name}\`` };
}

function sum(a: number, operator: string, b: number, tools: ModelTool[]): PlannedCall | string {
  const isSum = /^(?:\+|plus)$/i.test(operator);
  return offered(tools, {
    name: isSum ? 'math__add' : 'math__multiply',
    arguments: { a, b },
    intention: isSum ? `add ${a} and ${b}` : `multiply ${a} by ${b}`,
    present: (result) => `${a} ${isSum ? '+' : '×'} ${b} = **${result}**`,
  });
}

function searchCall([, where, what]: RegExpExecArray, tools: ModelTool[]): PlannedCall | string {
  const query = what!
    .trim()
    .replace(/[.?!]{1,3}$/, '')
    .replace(/^["“](.*)["”]$/, '$1');
  const isWeb = where!.toLowerCase() === 'web';
  const found = isWeb ? 'On the web I found' : 'In the documents I found';
  return offered(tools, {
    name: isWeb ? 'web__web_search' : 'knowledge__rag_search',
    arguments: { query },
    intention: `search the ${isWeb ? 'web' : 'documents'} for “${query}”`,
    present: (result) => `${found} this for “${query}”:\n\n${quote(result)}`,
  });
}

function offered(tools: ModelTool[], call: PlannedCall): PlannedCall | string {
  if (tools.some(({ name }) => name === call.name)) return call;
  return `To ${call.intention} I need the tool \`${call.name}\`, which is not on offer right now.`;
}

/** Calls the next round, or answers with the results when nothing is left to call or a call has failed. */
export function followPlan(
  { rounds, notes }: Plan,
  answers: ToolAnswer[][],
): { text: string; calls: ToolUse[] } {
  const hasFailed = answers.flat().some(({ isError }) => isError);
  const next = rounds[answers.length];
  if (next && !hasFailed) {
    const intention = `${answers.length > 0 ? 'Now I' : 'I'} will ${listed(next)}.`;
    return {
      text: (answers.length > 0 ? [intention] : [...notes, intention]).join('\n\n'),
      calls: next.map(({ name, arguments: args }) => ({ name, arguments: args })),
    };
  }
  const outcomes = answers.flatMap((round, n) => round.map((end, i) => outcome(end, rounds[n]?.[i])));
  const left = next ? [`So I did not ${listed(next)}.`] : [];
  return { text: [...outcomes, ...left].join('\n\n'), calls: [] };
}

function listed(calls: PlannedCall[]): string {
  const all = calls.map(({ intention }) => intention);
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(', ')} and ${all.at(-1)!}`;
}

function outcome({ name, text, isError }: ToolAnswer, call: PlannedCall | undefined): string {
  if (isError) return `The tool \`${name}\` failed: ${text || 'it gave no reason.'}`;
  return call?.present?.(text) ?? `\`${name}\` answered:\n\n${quote(text)}`;
}

function quote(result: string): string {
  if (result.trim() === '') return 'nothing';
  const cut = result.length > MAX_RESULT_LENGTH ? `${result.slice(0, MAX_RESULT_LENGTH)}…` : result;
  return /^\s*[{[]/.test(cut) ? `\`\`\`json\n${cut}\n\`\`\`` : cut;
}

/** Index after the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(source: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < source.length; at++) {
    const char = source[at];
    if (isInString && char === '\\') at++;
    else if (char === '"') isInString = !isInString;
    else if (!isInString && char === '{') depth++;
    else if (!isInString && char === '}' && --depth === 0) return at + 1;
  }
  return source.length;
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `math__add`, `math.add` and `math add` are the same tool. */
function toKey(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
