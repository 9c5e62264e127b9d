import { useEffect, useState } from 'react';
import { IconButton } from './icon-button.js';

const CONFIRMED_MS = 2_000;

/** Absent where the browser has no clipboard (pages that are not served from this machine or over https). */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  if (!('clipboard' in navigator)) return null;
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return <IconButton icon={isCopied ? 'check' : 'copy'} label={isCopied ? 'Copied' : label} onClick={copy} />;
}
