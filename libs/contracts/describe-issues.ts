import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** The maximum number of problems in a description. */
const MAX_ISSUES = 3;
const MAX_LENGTH = 500;

/** `path: problem`, joined; never a value. */
export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, MAX_ISSUES)
    .map((issue) =>
      issue.path.length > 0 ? `${issue.path.join('.')}: ${describeIssue(issue)}` : describeIssue(issue),
    )
    .join('; ')
    .slice(0, MAX_LENGTH);
}

/** The problem as a predicate that says what to do (`must be …`), for people who do not know the schema language. */
export function describeIssue(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return isMissing(issue) ? 'is required' : `must be ${nameOf(issue.expected)}`;
  if (issue.code === 'invalid_format' && issue.format === 'email') return 'must be an email address';
  if (issue.code === 'too_small')
    return describeBound('at least', issue.origin, issue.minimum) ?? issue.message;
  if (issue.code === 'too_big') return describeBound('at most', issue.origin, issue.maximum) ?? issue.message;
  return issue.message;
}

/** The issue does not contain the input, so only its text shows that the input was missing. */
function isMissing({ message }: Issue): boolean {
  return message.endsWith('received undefined');
}

function nameOf(expected: string): string {
  if (expected === 'boolean') return 'true or false';
  if (expected === 'int') return 'a whole number';
  return `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
}

/** Undefined for values that are not counted. */
function describeBound(bound: string, origin: string, limit: number | bigint): string | undefined {
  const isOne = Number(limit) === 1;
  if (origin === 'string') return `must have ${bound} ${limit} character${isOne ? '' : 's'}`;
  if (origin === 'array') return `must have ${bound} ${limit} item${isOne ? '' : 's'}`;
  if (origin === 'number' || origin === 'int') return `must be ${bound} ${limit}`;
  return undefined;
}
