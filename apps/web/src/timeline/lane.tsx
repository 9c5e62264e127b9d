import type { CSSProperties } from 'react';
import type { CallView } from '#contracts';
import { appearanceOf } from '../format/call-text.js';
import { endOf, percentOf, startOf, type Span } from './times.js';

/** Thin line: waited. Block: ran. Dashes: still waits, or unknown. Decoration: the time next to it is text. */
export function Lane({ call, span, now }: { call: CallView; span: Span | undefined; now: number }) {
  const start = startOf(call);
  const look = appearanceOf(call);
  const isWaiting = look === 'queued' || look === 'waiting';
  const to = span ? percentOf(endOf(call) ?? now, span) : 100;
  if (start === undefined || !span) {
    return (
      <span className="lane" aria-hidden="true">
        <Bar kind="pending" from={0} to={isWaiting ? 100 : to} />
      </span>
    );
  }
  const from = percentOf(start, span);
  return (
    <span className="lane" aria-hidden="true">
      {from > 1 && <Bar kind="waited" from={0} to={from} />}
      <Bar kind={look} from={from} to={to} />
    </span>
  );
}

function Bar({ kind, from, to }: { kind: string; from: number; to: number }) {
  return <i className={`lane-${kind}`} style={{ '--from': from, '--to': to } as CSSProperties} />;
}
