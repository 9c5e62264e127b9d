import { lazy, useState } from 'react';
import { countOf } from '../format/durations.js';
import { useObservable, useSession } from '../session/session.js';
import { Later } from './boundary.js';
import { Icon } from './icon.js';

const ApprovalsSheet = lazy(() => import('./approvals-sheet.js'));

/** For people with a role that approves calls of others. */
export function ApprovalsButton() {
  const { approvals: list } = useSession();
  const { mayApprove, approvals } = useObservable(list.state);
  const [isShown, setShown] = useState(false);
  if (!mayApprove) return null;
  const count = approvals.length;
  const label = count === 0 ? 'Approvals' : `Approvals: ${countOf(count, 'call waits', 'calls wait')}`;
  return (
    <>
      <button
        type="button"
        className="icon-button approvals-button"
        aria-label={label}
        title={label}
        onClick={() => {
          void list.read();
          setShown(true);
        }}
      >
        <Icon name="check" />
        {count > 0 && <span className="count">{count}</span>}
      </button>
      {isShown && (
        <Later what="The list of approvals">
          <ApprovalsSheet onClose={() => setShown(false)} />
        </Later>
      )}
    </>
  );
}
