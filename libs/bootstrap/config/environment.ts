import { z } from 'zod';
import { DOCUMENTS_OF } from './explained-in.js';
import {
  clientVariables,
  connectionVariables,
  groupServiceVariables,
  ownServiceVariables,
  ownToolVariables,
  processVariables,
  sharedServiceVariables,
  toolVariables,
  turnVariables,
  workerServiceVariables,
} from './variables.js';

/*
 * One schema per app for the environment: the names that it reads, their rules and defaults. An empty string counts as
 * unset. Names of other apps are not an error: one environment may serve several processes.
 */

export const gatewayEnvironment = z.object({
  ...processVariables(3000),
  ...sharedServiceVariables,
  ...clientVariables,
  ...connectionVariables,
});

export const orchestratorEnvironment = z.object({
  ...processVariables(3001),
  ...sharedServiceVariables,
  ...turnVariables,
});

export const toolWorkerEnvironment = z.object({
  ...processVariables(3002),
  ...workerServiceVariables,
  ...connectionVariables,
  ...toolVariables,
});

/** Of the package of the worker: without the store, and without built-in toolsets. */
export const groupWorkerEnvironment = z.object({
  ...processVariables(3002),
  ...groupServiceVariables,
  ...ownToolVariables,
});

export const standaloneEnvironment = z.object({
  ...processVariables(3000),
  ...ownServiceVariables,
  ...clientVariables,
  ...connectionVariables,
  ...turnVariables,
  ...toolVariables,
});

/** Every name that any app reads. */
export const ENVIRONMENT_NAMES: readonly string[] = [
  ...new Set(
    [gatewayEnvironment, orchestratorEnvironment, toolWorkerEnvironment, standaloneEnvironment].flatMap(
      (schema) => Object.keys(schema.shape),
    ),
  ),
];

/** Set variables only. */
export function withoutEmpty(environment: Record<string, string | undefined>): Record<string, string> {
  const set = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  );
  return Object.fromEntries(set);
}

/** `NAME must be …`, one line per wrong value; never a value. */
export function describeProblems(error: z.ZodError): string[] {
  return error.issues.map((issue) =>
    [issue.path.map(String).join('.'), describeIssue(issue)].filter((part) => part !== '').join(' '),
  );
}

/** Members of `CONFIG` that operations.md only names. */
const DOCUMENTS: Record<string, string> = {
  groups: 'docs/worker-groups.md',
  roles: 'docs/accounts.md',
  approvers: 'docs/accounts.md',
  approve_for: 'docs/accounts.md',
  quarantine: 'docs/tools.md',
};

/** The problems of the settings file, each with the document that explains its member if there is one. */
export function describeFileProblems(error: z.ZodError): string[] {
  const problems = describeProblems(error);
  return error.issues.map(({ path }, i) => {
    const member = path.map(String).find((part) => Object.hasOwn(DOCUMENTS, part));
    return member === undefined ? problems[i]! : `${problems[i]!} (see ${DOCUMENTS[member]!}${DOCUMENTS_OF})`;
  });
}

/** Our own messages are predicates; zod's start with a capital letter, and name an unknown key in quotes. */
function describeIssue({ message }: z.core.$ZodIssue): string {
  return /^[A-Z]/.test(message)
    ? `is invalid (${message.charAt(0).toLowerCase()}${message.slice(1)})`
    : message;
}
