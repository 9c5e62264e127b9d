import { useEffect, useState } from 'react';
import { IconButton } from './icon-button.js';

const CONFIRMED_MS = 2_000;

interface CopyButtonProps {
  label: string;
  /** What is copied; it may have to be read first. */
  text: () => string | Promise<string>;
}

/** Absent where the browser has no clipboard (pages that are not served from this machine or over https). */
export function CopyButton({ label, text }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'Copied' | 'Not copied'>();
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  if (!('clipboard' in navigator)) return null;
  const copy = () => {
    writeText(text()).then(
      () => setOutcome('Copied'),
      () => setOutcome('Not copied'),
    );
  };
  const icon = outcome === 'Copied' ? 'check' : outcome ? 'warn' : 'copy';
  return <IconButton icon={icon} label={outcome ?? label} onClick={copy} />;
}

/** A promise goes into the clipboard itself: some browsers forget the click by the time that a text has been read. */
function writeText(text: string | Promise<string>): Promise<void> {
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  const blob = text.then((whole) => new Blob([whole], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
