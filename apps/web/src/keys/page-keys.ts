import { useEffect, useRef } from 'react';
import { areLetterKeysOn, isWriting } from './thread-keys.js';

export interface PageKeys {
  /** Esc closes the open element, or else stops the turn. */
  escape: () => void;
  search: () => void;
  newConversation: () => void;
  togglePanel: () => void;
  write: () => void;
  showKeys: () => void;
}

/** The shortcuts that work wherever the focus is; `/` and `?` only outside text fields. */
export function usePageKeys(keys: PageKeys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const action = actionOf(event);
      if (!action) return;
      event.preventDefault();
      latest.current[action]();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

function actionOf(event: KeyboardEvent): keyof PageKeys | undefined {
  const isCommand = event.ctrlKey || event.metaKey;
  if (event.key === 'Escape') return event.isComposing ? undefined : 'escape';
  if (isCommand) return !event.altKey && event.key.toLowerCase() === 'k' ? 'search' : undefined;
  // `code`: with Alt held, some layouts give another character as `key`.
  if (event.altKey) return withAlt[event.code];
  const isFree = event.target !== null && !isWriting(event.target) && areLetterKeysOn();
  return isFree ? alone[event.key] : undefined;
}

const withAlt: Record<string, keyof PageKeys | undefined> = { KeyN: 'newConversation', KeyT: 'togglePanel' };
const alone: Record<string, keyof PageKeys | undefined> = { '/': 'write', '?': 'showKeys' };
