import type { ListedAccount, UserUsage } from './operator-api.js';

export interface AccountRow {
  id: string;
  /** Absent on a server without accounts, and for a user whose account is not listed. */
  account?: ListedAccount;
  /** Absent: no model was used. */
  usage?: UserUsage;
}

/** Everybody who has an account or has used a model, those first who have used most. */
export function accountRows(
  accounts: readonly ListedAccount[] | undefined,
  usage: readonly UserUsage[],
): AccountRow[] {
  const rows = new Map<string, AccountRow>();
  for (const account of accounts ?? []) rows.set(account.id, { id: account.id, account });
  for (const used of usage)
    rows.set(used.user_id, { ...rows.get(used.user_id), id: used.user_id, usage: used });
  return [...rows.values()].sort((a, b) => tokensOf(b) - tokensOf(a));
}

function tokensOf({ usage }: AccountRow): number {
  return usage ? usage.input_tokens + usage.output_tokens : 0;
}
