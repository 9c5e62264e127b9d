import type { KeyboardEvent } from 'react';
import { deviceStorage } from '../state/device-storage.js';

const KEY = 'switchyard.letter_keys';

/** Single-letter shortcuts disturb some input methods, so they can be turned off. */
export function areLetterKeysOn(): boolean {
  return deviceStorage.get(KEY) !== 'off';
}

export function setLetterKeys(isOn: boolean): void {
  if (isOn) deviceStorage.remove(KEY);
  else deviceStorage.set(KEY, 'off');
}

/** J and K move between calls, G goes to a call that waits for a person. Only while the thread has the focus. */
export function moveWithinThread(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || !areLetterKeysOn() || isWriting(event.target)) return;
  const thread = event.currentTarget;
  const rows = [...thread.querySelectorAll<HTMLElement>('.step-header, .call-row')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const key = event.key.toLowerCase();
  const next = {
    j: () => rows[at < 0 ? 0 : Math.min(rows.length - 1, at + 1)],
    k: () => rows[at < 0 ? rows.length - 1 : Math.max(0, at - 1)],
    g: () =>
      thread.querySelector<HTMLElement>('.ask button.button-main, .ask input, .ask select') ?? undefined,
  }[key];
  const target = next?.();
  if (!target) return;
  event.preventDefault();
  target.focus();
  target.scrollIntoView({ block: 'nearest' });
}

export function isWriting(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
