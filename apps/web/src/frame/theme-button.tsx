import { useObservable } from '../session/session.js';
import type { IconName } from './icon.js';
import { IconButton } from './icon-button.js';
import { changeTheme, theme, type Theme } from './theme.js';

const themes: Record<Theme, { icon: IconName; label: string }> = {
  system: { icon: 'system', label: 'Theme: as the system' },
  light: { icon: 'sun', label: 'Theme: light' },
  dark: { icon: 'moon', label: 'Theme: dark' },
};

export function ThemeButton() {
  const { icon, label } = themes[useObservable(theme)];
  return <IconButton icon={icon} label={label} onClick={changeTheme} />;
}
