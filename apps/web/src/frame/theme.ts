import { Observable } from '../state/observable.js';
import { deviceStorage } from '../state/device-storage.js';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'switchyard.theme';
const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };

/** Follows the system until the user picks a theme; stored on this device. */
export const theme = new Observable<Theme>(readTheme());

export function startTheme(): void {
  apply(theme.get());
}

export function changeTheme(): void {
  const chosen = next[theme.get()];
  if (chosen === 'system') deviceStorage.remove(KEY);
  else deviceStorage.set(KEY, chosen);
  apply(chosen);
  theme.set(chosen);
}

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

function readTheme(): Theme {
  const kept = deviceStorage.get(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
