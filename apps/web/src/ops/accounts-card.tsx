import { useState } from 'react';
import { accountRows, type AccountRow } from './account-rows.js';
import { Card, Table } from './card.js';
import { daysText, UsageCells, UsageHeads } from './usage-cells.js';
import type { AllUsage, ListedAccount, UserUsage } from './operator-api.js';

const FIRST = 10;

interface AccountsCardProps {
  usage: AllUsage<UserUsage> | undefined;
  accounts: ListedAccount[] | undefined;
}

export function AccountsCard({ usage, accounts }: AccountsCardProps) {
  const [areAllShown, setAllShown] = useState(false);
  const rows = accountRows(accounts, usage?.rows ?? []);
  const shown = areAllShown ? rows : rows.slice(0, FIRST);
  return (
    <Card id="accounts" title="Accounts and usage" note={usage && daysText(usage)}>
      {usage && rows.length === 0 && <p className="ops-none">No model was used.</p>}
      {shown.length > 0 && (
        <Table label="Accounts and usage">
          <thead>
            <tr>
              <th scope="col">User</th>
              {accounts && <th scope="col">Role</th>}
              <UsageHeads />
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <Row key={row.id} row={row} hasAccounts={accounts !== undefined} />
            ))}
          </tbody>
        </Table>
      )}
      {rows.length > FIRST && (
        <footer>
          <button type="button" className="button button-ghost" onClick={() => setAllShown(!areAllShown)}>
            {areAllShown ? 'Show fewer' : `Show all ${rows.length}`}
          </button>
        </footer>
      )}
    </Card>
  );
}

function Row({ row: { id, account, usage }, hasAccounts }: { row: AccountRow; hasAccounts: boolean }) {
  return (
    <tr>
      <th scope="row" className="ops-cut" title={id}>
        {account?.username ?? id}
      </th>
      {hasAccounts && (
        <td>
          {account?.role ?? 'no account'}
          {account?.is_active === false && <span className="tag ops-tag">not active</span>}
        </td>
      )}
      <UsageCells usage={usage} />
    </tr>
  );
}
