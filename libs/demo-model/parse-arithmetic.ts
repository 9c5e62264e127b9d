import { tokenizeArithmetic, type Operator, type Token } from './tokenize-arithmetic.js';

/** A number, or the result of the operation with this index. */
export type Operand = { value: number } | { operation: number };

export interface Operation {
  operator: Operator;
  operands: [Operand, Operand];
}

export interface Arithmetic {
  operations: Operation[];
  /** Why a sum in the text is not among them. */
  refusals: string[];
}

const WHOLE_NUMBERS = 'My tools take whole numbers only, so I left out the ones with decimals.';
const TOO_LARGE = 'I left out a number that is too large to be exact.';
const OTHER_OPERATOR = 'I can only add and multiply.';

const EXPRESSION: Token['type'][] = ['number', 'reference', 'infix'];

class Refused extends Error {}

/**
 * All sums and products in a text, "17 + 25 and 6 * 7" as well as "multiply the result by 4". `firstIndex` is the
 * index of the first operation found here, `previous` what "the result" means at the beginning.
 */
export function parseArithmetic(text: string, firstIndex: number, previous: Operand | undefined): Arithmetic {
  return new ArithmeticParser(tokenizeArithmetic(text), firstIndex, previous).parse();
}

class ArithmeticParser {
  private at = 0;
  private readonly operations: Operation[] = [];
  private readonly refusals = new Set<string>();

  constructor(
    private readonly tokens: Token[],
    private readonly firstIndex: number,
    private previous: Operand | undefined,
  ) {}

  parse(): Arithmetic {
    while (this.at < this.tokens.length) {
      const found = this.operations.length;
      try {
        if (!this.parseVerb() && !this.parseExpression()) this.at++;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.refusals.add(error.message);
        this.operations.length = found;
        this.skipRest();
      }
    }
    return { operations: this.operations, refusals: [...this.refusals] };
  }

  /** "add 3 and 4", "multiply the result by 4", "add 10" (to what came before). */
  private parseVerb(): boolean {
    const verb = this.peek();
    if (verb?.type !== 'verb') return false;
    this.at++;
    const start = this.at;
    const operands: Operand[] = [];
    for (let operand = this.takeOperand(); operand; operand = this.takeJointOperand()) operands.push(operand);
    if (operands.length === 1 && this.previous) operands.unshift(this.previous);
    // "add 17 + 25": the verb adds nothing to the expression after it.
    if (operands.length < 2 || this.peek()?.type === 'infix') this.at = start;
    else this.fold(verb.operator, operands);
    return true;
  }

  /** "17 + 25 * 2", or "times 4" (what came before). */
  private parseExpression(): boolean {
    const start = this.at;
    const first = this.takeOperand() ?? this.impliedOperand();
    if (!first || this.peek()?.type !== 'infix') {
      this.at = start;
      return false;
    }
    const terms = [this.parseTerm(first)];
    while (this.takeInfix('add')) terms.push(this.parseTerm(this.needOperand()));
    if (this.peek()?.type === 'infix') throw new Refused(OTHER_OPERATOR);
    if (terms.length > 1) this.fold('add', terms);
    return true;
  }

  private parseTerm(first: Operand): Operand {
    const factors = [first];
    while (this.takeInfix('multiply')) factors.push(this.needOperand());
    return factors.length > 1 ? this.fold('multiply', factors) : first;
  }

  private fold(operator: Operator, operands: Operand[]): Operand {
    for (const operand of operands) if ('value' in operand) checkNumber(operand.value);
    const result = operands.reduce((left, right) => {
      this.operations.push({ operator, operands: [left, right] });
      return { operation: this.firstIndex + this.operations.length - 1 };
    });
    this.previous = result;
    return result;
  }

  private takeJointOperand(): Operand | undefined {
    const start = this.at;
    let isAnd = false;
    for (let token = this.peek(); token?.type === 'joint'; token = this.peek()) {
      isAnd ||= token.isAnd;
      this.at++;
    }
    const operand = this.at > start ? this.takeOperand() : undefined;
    // "multiply 2 by 3 and 4 + 5": the 4 begins the next expression.
    const beginsNext = isAnd && this.peek()?.type === 'infix';
    if (operand && !beginsNext) return operand;
    this.at = start;
    return undefined;
  }

  private takeInfix(operator: Operator): boolean {
    const token = this.peek();
    if (token?.type !== 'infix' || token.operator !== operator) return false;
    this.at++;
    return true;
  }

  /** "times 4" at the beginning goes on from what came before. */
  private impliedOperand(): Operand | undefined {
    const token = this.peek();
    return this.at === 0 && token?.type === 'infix' && token.operator !== 'other' ? this.previous : undefined;
  }

  private skipRest(): void {
    for (let token = this.peek(); token && EXPRESSION.includes(token.type); token = this.peek()) this.at++;
  }

  private needOperand(): Operand {
    const operand = this.takeOperand();
    if (!operand) throw new Refused('I did not understand one of the numbers.');
    return operand;
  }

  private takeOperand(): Operand | undefined {
    const token = this.peek();
    if (token?.type === 'reference' && this.previous) {
      this.at++;
      return this.previous;
    }
    if (token?.type !== 'number') return undefined;
    this.at++;
    return { value: Number(token.text.replaceAll(',', '')) };
  }

  private peek(): Token | undefined {
    return this.tokens[this.at];
  }
}

function checkNumber(value: number): void {
  if (!Number.isInteger(value)) throw new Refused(WHOLE_NUMBERS);
  if (!Number.isSafeInteger(value)) throw new Refused(TOO_LARGE);
}
