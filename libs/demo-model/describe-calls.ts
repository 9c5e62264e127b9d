import type { Operand } from './parse-arithmetic.js';
import type { PlannedCall } from './plan-calls.js';
import { describeGranted } from './parse-wish.js';
import { readNumber } from './read-number.js';
import type { ToolAnswer } from './read-turn.js';
import { formatToolText } from './format-tool-text.js';

type ValueOf = (operand: Operand) => number;

/** The sentence before the calls. */
export function describeIntentions(calls: PlannedCall[], valueOf: ValueOf, isLater: boolean): string {
  const all = calls.map((call) => describeCall(call, valueOf));
  const list = all.length < 2 ? all[0]! : `${all.slice(0, -1).join(', ')} and ${all.at(-1)!}`;
  return `${isLater ? 'Now I will' : 'I will'} ${list}.`;
}

/** What a call does, as the rest of "I will …". */
export function describeCall(call: PlannedCall, valueOf: ValueOf): string {
  switch (call.kind) {
    case 'arithmetic': {
      const [left, right] = call.operation.operands.map((operand) => showOperand(operand, valueOf));
      return call.operation.operator === 'add' ? `add ${left} and ${right}` : `multiply ${left} by ${right}`;
    }
    case 'search':
      return `search the ${call.search.where} for “${call.search.query}”`;
    case 'wish':
      return call.wish.does;
    case 'direct':
      return `call \`${call.tool.name}\``;
  }
}

/** What came of a call, as a paragraph of the answer. */
export function describeOutcome(call: PlannedCall, end: ToolAnswer, valueOf: ValueOf): string {
  if (end.isError) return `The tool \`${call.tool.name}\` failed: ${end.text || 'it gave no reason.'}`;
  switch (call.kind) {
    case 'arithmetic': {
      const [left, right] = call.operation.operands.map((operand) => showOperand(operand, valueOf));
      const sign = call.operation.operator === 'add' ? '+' : '×';
      const result = readNumber(end.text);
      return `${left} ${sign} ${right} = **${result ?? end.text}**`;
    }
    case 'search': {
      const place = call.search.where === 'documents' ? 'In the documents' : 'On the web';
      if (end.text.trim() === '') return `${place} I found nothing for “${call.search.query}”.`;
      return `${place} I found this for “${call.search.query}”:\n\n${formatToolText(end.text)}`;
    }
    case 'wish':
      return describeGranted(call.wish, end.text) ?? formatToolText(end.text);
    case 'direct':
      if (end.text.trim() === '') return `\`${call.tool.name}\` succeeded without any output.`;
      return `\`${call.tool.name}\` answered:\n\n${formatToolText(end.text)}`;
  }
}

function showOperand(operand: Operand, valueOf: ValueOf): string {
  const value = valueOf(operand);
  return Number.isNaN(value) ? 'the result' : String(value);
}
