import type { ReactNode } from 'react';

interface CardProps {
  id: string;
  title: string;
  /** Next to the title: a count, or what is left out. */
  note?: ReactNode;
  /** At the end of its header. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of the page that the navigation leads to. */
export function Card({ id, title, note, actions, children }: CardProps) {
  return (
    <section id={id} className="ops-card" aria-labelledby={`${id}-title`} tabIndex={-1}>
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        <span className="quiet grow">{note}</span>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Wider than a phone, so it scrolls by itself; focusable, so that a keyboard can do it, too. */
export function Table({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="ops-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="ops-table">{children}</table>
    </div>
  );
}
