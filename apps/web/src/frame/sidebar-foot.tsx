import { lazy, useCallback, useState } from 'react';
import { forgetOwnTexts } from '../connection/person.js';
import { readToken } from '../connection/token.js';
import { useSession } from '../session/session.js';
import { OPS_PATH } from '../conversation/route.js';
import { ApprovalsButton } from './approvals-button.js';
import { Later } from './boundary.js';
import { Icon } from './icon.js';
import { IconButton } from './icon-button.js';
import { useOperatorAccess } from './operator-access.js';
import { useSignedInName } from './signed-in-name.js';
import { ThemeButton } from './theme-button.js';

const UsagePopover = lazy(() => import('./usage-popover.js'));

export function SidebarFoot({ onShowKeys }: { onShowKeys: () => void }) {
  const { connection } = useSession();
  const signedInName = useSignedInName();
  const isOperator = useOperatorAccess(connection) === 'granted';
  const [isUsageShown, setUsageShown] = useState(false);
  const hideUsage = useCallback(() => setUsageShown(false), []);
  const signOut = () => {
    connection.signOut();
    forgetOwnTexts();
    // The page's data belongs to the user who signed out.
    location.reload();
  };
  return (
    <div className="sidebar-foot">
      <span className="grow cut quiet" title={location.host}>
        {signedInName ?? location.host}
      </span>
      {readToken() !== null && (
        <button type="button" className="button button-ghost" onClick={signOut}>
          Sign out
        </button>
      )}
      <ApprovalsButton />
      {isOperator && (
        <a className="icon-button" href={OPS_PATH} aria-label="Operations" title="Operations">
          <Icon name="pulse" />
        </a>
      )}
      <span className="menu">
        <IconButton
          icon="usage"
          label="Usage"
          aria-expanded={isUsageShown}
          onClick={() => setUsageShown(!isUsageShown)}
        />
        {isUsageShown && (
          <Later what="Usage">
            <UsagePopover onClose={hideUsage} />
          </Later>
        )}
      </span>
      <IconButton icon="help" label="Keyboard shortcuts" onClick={onShowKeys} />
      <ThemeButton />
    </div>
  );
}
