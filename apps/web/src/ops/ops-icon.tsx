import type { ReactNode } from 'react';

const shapes = {
  cpu: (
    <>
      <rect x="4.25" y="4.25" width="7.5" height="7.5" rx="1.5" />
      <path d="M6.5 2v2.25M9.5 2v2.25M6.5 11.75V14M9.5 11.75V14M2 6.5h2.25M2 9.5h2.25M11.75 6.5H14M11.75 9.5H14" />
    </>
  ),
  layers: <path d="m8 2.5 5.75 3L8 8.5l-5.75-3zM2.25 8.25l5.75 3 5.75-3M2.25 11 8 14l5.75-3" />,
  turns: <path d="M2.75 4h6.5M2.75 8h10.5M6.75 12h6.5" />,
  inbox: (
    <path d="M2.25 9h3l1 1.75h3.5l1-1.75h3M2.25 9l2-5.25h7.5l2 5.25v3a1 1 0 0 1-1 1h-9.5a1 1 0 0 1-1-1z" />
  ),
  pause: <path d="M6 4v8M10 4v8" />,
  resume: <path d="m5.75 3.75 6.5 4.25-6.5 4.25z" />,
  switches: (
    <>
      <rect x="2" y="3" width="12" height="4.5" rx="2.25" />
      <rect x="2" y="9" width="12" height="4.5" rx="2.25" />
      <path d="M4.25 5.25h.01M11.75 11.25h.01" strokeWidth="2" />
    </>
  ),
  gauge: <path d="M3.2 11.5a5.75 5.75 0 1 1 9.6 0M8 9l2.5-3" />,
  people: (
    <>
      <circle cx="6" cy="5.5" r="2.25" />
      <path d="M2 13c0-2.5 1.75-4 4-4s4 1.5 4 4M10.5 3.4a2.25 2.25 0 0 1 0 4.2M11.75 9.3c1.4.5 2.25 1.8 2.25 3.7" />
    </>
  ),
  out: (
    <path d="M9.5 3h3.5v3.5M13 3 8 8M11.5 9v2.5A1.5 1.5 0 0 1 10 13H4.5A1.5 1.5 0 0 1 3 11.5V6a1.5 1.5 0 0 1 1.5-1.5H7" />
  ),
} satisfies Record<string, ReactNode>;

export type OpsIconName = keyof typeof shapes;

/** As `Icon`, for what only this page shows. */
export function OpsIcon({ name }: { name: OpsIconName }) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}
