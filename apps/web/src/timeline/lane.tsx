import type { CallView } from '#contracts';
import type { CSSProperties } from 'react';
import { lookOf } from '../words/call-words.js';
import { endOf, percentOf, startOf, type Span } from './times.js';

/** Thin line: waited. Block: ran. Dashes: still waits, or nobody knows. Decoration: the time beside it is text. */
export function Lane({ call, span, now }: { call: CallView; span: Span | undefined; now: number }) {
  const start = startOf(call);
  const look = lookOf(call);
  if (start === undefined || !span) {
    const isWaiting = look === 'queued' || look === 'waiting';
    return (
      <span className="lane" aria-hidden="true">
        {isWaiting && <Bar kind="pending" from={0} to={100} />}
      </span>
    );
  }
  const from = percentOf(start, span);
  const to = percentOf(endOf(call) ?? now, span);
  if (look === 'never_started') {
    return (
      <span className="lane" aria-hidden="true">
        <Bar kind="pending" from={0} to={to} />
      </span>
    );
  }
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
