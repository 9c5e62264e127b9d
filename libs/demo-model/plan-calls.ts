import type { ModelTool } from '#llm';
import { findBuiltIn, findExactly, findTool, parameterNames } from './find-tool.js';
import { JSON_MARK, takeJsonOut } from './json-in-text.js';
import { parseArithmetic, type Operand, type Operation } from './parse-arithmetic.js';
import { parseSearches, type Search } from './parse-search.js';
import { parseWish, type Wish } from './parse-wish.js';
import { splitQuestion, type Segment } from './split-question.js';

export type PlannedCall = { tool: ModelTool; after: number[] } & (
  | { kind: 'arithmetic'; operation: Operation }
  | { kind: 'search'; search: Search }
  | { kind: 'wish'; wish: Wish }
  | { kind: 'direct'; arguments: Record<string, unknown> }
);

/** What a question asks of tools, and why some of it cannot be done. `after` holds indexes of calls to wait for. */
export interface Plan {
  calls: PlannedCall[];
  notes: string[];
}

const DIRECT_WITH_JSON = new RegExp(
  `\\b(?:call|invoke|run|use|execute)\\s+(.+?)\\s*(?:\\bwith\\b.*?)?:?\\s*${JSON_MARK.source}`,
  'is',
);
const DIRECT_WITHOUT =
  /^(?:please\s+|(?:can|could)\s+you\s+)?(?:call|invoke|run|use|execute)\s+(.+?)(?:\s+with(?:out|\s+no)\s+arguments)?$/is;

export function planCalls(question: string, tools: ModelTool[]): Plan {
  return new Planner(tools).plan(question);
}

class Planner {
  private readonly calls: PlannedCall[] = [];
  private readonly notes = new Set<string>();
  private objects: Record<string, unknown>[] = [];
  private isJsonBroken = false;
  private lastArithmetic: Operand | undefined;

  constructor(private readonly tools: ModelTool[]) {}

  plan(question: string): Plan {
    const { text, objects, isBroken } = takeJsonOut(question);
    this.objects = objects;
    this.isJsonBroken = isBroken;
    let before: number[] = [];
    for (const segment of splitQuestion(text)) {
      if (segment.isLater) before = this.calls.map((_, index) => index);
      this.planSegment(segment, before);
    }
    return { calls: this.calls, notes: [...this.notes] };
  }

  private planSegment({ text }: Segment, after: number[]): void {
    if (this.planDirect(text, after) || this.planWish(text, after)) return;
    const searches = parseSearches(text);
    for (const search of searches) this.planSearch(search, after);
    if (searches.length === 0) this.planArithmetic(text, after);
  }

  private planDirect(text: string, after: number[]): boolean {
    const withJson = DIRECT_WITH_JSON.exec(text);
    const name = tidyName(withJson?.[1] ?? DIRECT_WITHOUT.exec(text)?.[1] ?? '');
    if (name === '') return false;
    if (!withJson && this.isJsonBroken && name.includes('{')) {
      this.notes.add('The arguments are not valid JSON, so I did not call anything.');
      return true;
    }
    const found = findTool(this.tools, name);
    if (found.tool) {
      const args = withJson ? this.objects[Number(withJson[2])]! : {};
      this.calls.push({ kind: 'direct', tool: found.tool, arguments: args, after });
      return true;
    }
    // "use your imagination" asks for no tool.
    if (!withJson && !/^(?:call|invoke)\b/i.test(text)) return false;
    const candidates = found.candidates.map((candidate) => `\`${candidate}\``).join(', ');
    this.notes.add(
      candidates === ''
        ? `There is no tool like \`${name}\` on offer; ask "which tools do you have?" for a list.`
        : `More than one tool fits \`${name}\`: ${candidates}.`,
    );
    return true;
  }

  private planWish(text: string, after: number[]): boolean {
    const wish = parseWish(text);
    if (!wish) return false;
    if ('problem' in wish) {
      this.notes.add(wish.problem);
      return true;
    }
    const tool = findExactly(this.tools, wish.toolset, wish.tool);
    if (tool) this.calls.push({ kind: 'wish', tool, wish, after });
    return tool !== undefined;
  }

  private planSearch(search: Search, after: number[]): void {
    const [toolset, ownName] =
      search.where === 'documents' ? ['knowledge', 'rag_search'] : ['web', 'web_search'];
    const tool = findBuiltIn(this.tools, toolset!, ownName!);
    if (tool) this.calls.push({ kind: 'search', tool, search, after });
    else this.notes.add(notOffered(`${toolset}__${ownName}`, `to search the ${search.where}`));
  }

  private planArithmetic(text: string, after: number[]): void {
    const { operations, refusals } = parseArithmetic(text, this.calls.length, this.lastArithmetic);
    for (const refusal of refusals) this.notes.add(refusal);
    const missing = operations.find(({ operator }) => !findBuiltIn(this.tools, 'math', operator));
    if (missing) {
      this.notes.add(notOffered(`math__${missing.operator}`, `to ${missing.operator} numbers`));
      return;
    }
    for (const operation of operations) {
      const tool = findBuiltIn(this.tools, 'math', operation.operator)!;
      const needs = operation.operands.flatMap((operand) =>
        'operation' in operand ? [operand.operation] : [],
      );
      this.calls.push({ kind: 'arithmetic', tool, operation, after: [...new Set([...after, ...needs])] });
    }
    if (operations.length > 0) this.lastArithmetic = { operation: this.calls.length - 1 };
  }
}

/** The arguments of a call, once `valueOf` knows the results it builds on. */
export function argumentsOf(
  call: PlannedCall,
  valueOf: (operand: Operand) => number,
): Record<string, unknown> {
  if (call.kind === 'direct') return call.arguments;
  if (call.kind === 'wish') return call.wish.arguments;
  const names = parameterNames(call.tool);
  if (call.kind === 'search') {
    const name = names.includes('query') ? 'query' : (names[0] ?? 'query');
    return { [name]: call.search.query };
  }
  const [left, right] =
    names.includes('a') && names.includes('b') ? ['a', 'b'] : [names[0] ?? 'a', names[1] ?? 'b'];
  return { [left]: valueOf(call.operation.operands[0]), [right]: valueOf(call.operation.operands[1]) };
}

function tidyName(text: string): string {
  return text
    .replace(/^(?:the\s+)?(?:tool\s+)?/i, '')
    .replace(/\s+tool$/i, '')
    .replace(/^[`"'“«]|[`"'”»]$/g, '')
    .trim();
}

function notOffered(name: string, purpose: string): string {
  return `I would need the tool \`${name}\` ${purpose}, but it is not on offer right now.`;
}
