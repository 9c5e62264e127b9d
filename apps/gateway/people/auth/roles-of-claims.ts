import { isObject, userRoleSchema } from '#contracts';
import { OPERATOR_ROLE } from './user.js';

/**
 * The roles that a token names in these claims: each a text or a list of texts, found by its whole name
 * (`https://example.org/roles`) or as a path (`realm_access.roles`). Values that are no role are left out. Who may
 * manage the installation is decided elsewhere, so no group called `operator` gives that role.
 */
export function rolesOfClaims(
  claims: Record<string, unknown>,
  names: readonly string[],
  isOperator: boolean,
): string[] {
  const named = names.flatMap((name) => valuesOf(claims[name] ?? valueAt(claims, name.split('.'))));
  const roles = named.filter((role) => role !== OPERATOR_ROLE && userRoleSchema.safeParse(role).success);
  return [...new Set([...(isOperator ? [OPERATOR_ROLE] : []), ...(roles as string[])])];
}

function valuesOf(claim: unknown): unknown[] {
  return Array.isArray(claim) ? claim : [claim];
}

function valueAt(claims: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), claims);
}
