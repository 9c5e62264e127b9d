import type { ReactNode } from 'react';

const shapes = {
  plus: <path d="M8 3.25v9.5M3.25 8h9.5" />,
  search: <path d="M11.25 7a4.25 4.25 0 1 1-8.5 0 4.25 4.25 0 0 1 8.5 0ZM10.2 10.2l3.05 3.05" />,
  panel: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="2" />
      <path d="M10 2.75v10.5" />
    </>
  ),
  side: (
    <>
      <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="2" />
      <path d="M6 2.75v10.5" />
    </>
  ),
  chevron: <path d="m6.25 4.25 3.75 3.75-3.75 3.75" />,
  down: <path d="M8 3.25v9.25M3.75 8.5 8 12.75l4.25-4.25" />,
  copy: (
    <>
      <rect x="5.75" y="5.75" width="7.5" height="7.5" rx="1.5" />
      <path d="M10.25 5.75v-1.5a1.5 1.5 0 0 0-1.5-1.5h-4.5a1.5 1.5 0 0 0-1.5 1.5v4.5a1.5 1.5 0 0 0 1.5 1.5h1.5" />
    </>
  ),
  check: <path d="m3.5 8.5 3 3 6-7" />,
  close: <path d="m4.25 4.25 7.5 7.5m0-7.5-7.5 7.5" />,
  edit: <path d="m10.25 3.5 2.25 2.25L6 12.25l-3 .75.75-3z" />,
  stop: <rect x="4.5" y="4.5" width="7" height="7" rx="1.5" fill="currentColor" />,
  up: <path d="M8 12.75V3.5M3.75 7.5 8 3.25l4.25 4.25" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3l2 1.25" />
    </>
  ),
  offline: (
    <path d="M2.5 6.5a8 8 0 0 1 3-1.8M9 4.3a8 8 0 0 1 4.5 2.2M4.75 9a4.8 4.8 0 0 1 2-1.2M11.25 9l-.6-.5M8 11.75h.01M3 2.75l10 10.5" />
  ),
  online: <path d="M2.5 6.5a8 8 0 0 1 11 0M4.75 9a4.75 4.75 0 0 1 6.5 0M8 11.75h.01" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M8 2v1.25M8 12.75V14M2 8h1.25M12.75 8H14M3.75 3.75l.9.9M11.35 11.35l.9.9M3.75 12.25l.9-.9M11.35 4.65l.9-.9" />
    </>
  ),
  moon: <path d="M13 9.4A5.4 5.4 0 1 1 6.6 3a4.4 4.4 0 0 0 6.4 6.4Z" />,
  system: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11Z" fill="currentColor" stroke="none" />
    </>
  ),
  usage: <path d="M3.25 12.75V9M8 12.75v-9.5M12.75 12.75V6.5" />,
  pulse: <path d="M1.75 8h3l2-4.75 2.75 9.5L11.5 8h2.75" />,
  help: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.5 6.4a1.55 1.55 0 1 1 2.2 1.5c-.45.25-.7.5-.7 1M8 10.9h.01" />
    </>
  ),
  menu: <path d="M2.75 4.75h10.5M2.75 8h10.5M2.75 11.25h10.5" />,
  switch: <path d="M2.5 8h2.75C8.5 8 8 4 11 4h2.5M5.25 8C8.5 8 8 12 11 12h2.5" />,
  warn: <path d="M8 3 2.5 12.75h11zM8 6.75v2.75M8 11.2h.01" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.5v3M8 5.4h.01" />
    </>
  ),
  queued: <circle cx="8" cy="8" r="5.5" strokeDasharray="2.3 2.02" />,
  running: (
    <>
      <circle cx="8" cy="8" r="5.5" opacity=".28" />
      <path className="arc" d="M8 2.5A5.5 5.5 0 0 1 13.5 8" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m5.6 8.2 1.7 1.7 3.2-3.7" />
    </>
  ),
  failed: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="m6 6 4 4m0-4-4 4" />
    </>
  ),
  cancelled: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M5.75 8h4.5" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.6 6v4M9.4 6v4" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

/** Decoration: its meaning is always next to it as text, or in the name of the control. */
export function Icon({ name, className = '' }: { name: IconName; className?: string }) {
  return (
    <svg className={`icon ${className}`} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
