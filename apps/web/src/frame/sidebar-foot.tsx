import { useCallback, useState } from 'react';
import { forgetOwnTexts } from '../connection/person.js';
import { readToken } from '../connection/token.js';
import { useObservable, useSession } from '../session/session.js';
import type { IconName } from './icon.js';
import { IconButton } from './icon-button.js';
import { useSignedInName } from './signed-in-name.js';
import { changeTheme, theme, type Theme } from './theme.js';
import { UsagePopover } from './usage-popover.js';

const themes: Record<Theme, { icon: IconName; label: string }> = {
  system: { icon: 'system', label: 'Theme: as the system' },
  light: { icon: 'sun', label: 'Theme: light' },
  dark: { icon: 'moon', label: 'Theme: dark' },
};

export function SidebarFoot({ onShowKeys }: { onShowKeys: () => void }) {
  const { connection } = useSession();
  const signedInName = useSignedInName();
  const [isUsageShown, setUsageShown] = useState(false);
  const hideUsage = useCallback(() => setUsageShown(false), []);
  const signOut = () => {
    connection.signOut();
    forgetOwnTexts();
    // The page's data belongs to the user who signed out.
    location.reload();
  };
  const { icon, label } = themes[useObservable(theme)];
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
      <span className="menu">
        <IconButton
          icon="usage"
          label="Usage"
          aria-expanded={isUsageShown}
          onClick={() => setUsageShown(!isUsageShown)}
        />
        {isUsageShown && <UsagePopover onClose={hideUsage} />}
      </span>
      <IconButton icon="help" label="Keyboard shortcuts" onClick={onShowKeys} />
      <IconButton icon={icon} label={label} onClick={changeTheme} />
    </div>
  );
}
