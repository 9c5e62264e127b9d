import { errorDetail, type Call, type ErrorDetail } from '#contracts';
import { canonicalHash } from '#tools';
import { isThinkingTool, type Budgets } from '#turn';

type Asked = Pick<Call, 'tool_name' | 'arguments'>;

/**
 * The reason, for the model, why a call exceeds a limit of the turn; undefined when it may be sent.
 *
 * @param earlier all previous calls of the turn, including refused ones.
 */
export function refuseExcess(
  asked: Asked,
  earlier: readonly Asked[],
  limits: Pick<Budgets, 'identicalCalls' | 'thinkingCalls'>,
): ErrorDetail | undefined {
  const ofTool = earlier.filter((call) => call.tool_name === asked.tool_name);
  if (isThinkingTool(asked.tool_name) && ofTool.length >= limits.thinkingCalls) {
    return tooMany(
      `You have thought ${limits.thinkingCalls} times in this turn, which is the limit. This thought was not sent. Answer now with what you have.`,
      `at most ${limits.thinkingCalls} calls of this tool in a turn`,
    );
  }
  const hash = canonicalHash(asked.arguments);
  const identical = ofTool.filter((call) => canonicalHash(call.arguments) === hash).length;
  if (identical < limits.identicalCalls) return undefined;
  return tooMany(
    `You have already asked for exactly this call ${times(identical)} in this turn. It was not run again. Use the results that you have, change the arguments, or answer.`,
    `at most ${limits.identicalCalls} identical calls in a turn`,
  );
}

function tooMany(message: string, constraint: string): ErrorDetail {
  return errorDetail('ApiLimitExceeded', message, { constraint, started: false });
}

function times(count: number): string {
  return ['never', 'once', 'twice'][count] ?? `${count} times`;
}
