import { useEffect, useRef, useState } from 'react';
import type { TurnTimeline } from '#contracts';
import { formatElapsed } from '../format/durations.js';
import { CopyButton } from '../frame/copy-button.js';
import { IconButton } from '../frame/icon-button.js';
import { NO_TURN } from './chosen-turn.js';
import type { Chosen } from './fleet-watch.js';
import { linesOf, type TimelineLine } from './timeline-lines.js';
import { isStuck, waitWords } from './wait-words.js';

/** The end of a timeline says why a turn waits; a long one is shown from there. */
const LAST = 30;
const ONE_COLUMN = '(max-width: 1100px)';

/** Why the chosen turn waits, and everything that has happened to it. */
export function WhyCard({ chosen, nowMs }: { chosen: Chosen | undefined; nowMs: number }) {
  const card = useRef<HTMLElement>(null);
  const id = chosen?.id;
  const shownFirst = useRef(id);
  // In one column it is above the list in which the turn was chosen.
  useEffect(() => {
    if (id === shownFirst.current || id === undefined) return;
    shownFirst.current = undefined;
    if (matchMedia(ONE_COLUMN).matches) card.current?.scrollIntoView();
  }, [id]);
  return (
    <section id="why" ref={card} className="ops-card ops-why" aria-labelledby="why-title">
      <header>
        <h2 id="why-title" className="grow">
          Why is this turn waiting?
        </h2>
        {id !== undefined && (
          <>
            <code className="cut quiet">{id}</code>
            <CopyButton label="Copy the id" text={() => id} />
            <IconButton icon="close" label="Close this turn" onClick={() => (location.hash = NO_TURN)} />
          </>
        )}
      </header>
      {!chosen && <p className="ops-none">Choose a turn in the list, or look one up by its id.</p>}
      {chosen?.problem && <p className="ops-none">{chosen.problem}</p>}
      {chosen?.turn && <Turn key={chosen.id} turn={chosen.turn} nowMs={nowMs} />}
    </section>
  );
}

function Turn({ turn, nowMs }: { turn: TurnTimeline; nowMs: number }) {
  const [isWhole, setWhole] = useState(false);
  const lines = linesOf(turn, nowMs);
  const shown = isWhole ? lines : lines.slice(-LAST);
  return (
    <>
      <Reason turn={turn} nowMs={nowMs} />
      {shown.length < lines.length && (
        <button type="button" className="button button-ghost" onClick={() => setWhole(true)}>
          Whole timeline
        </button>
      )}
      <ol className="ops-timeline">
        {shown.map((line, i) => (
          <Line key={lines.length - shown.length + i} line={line} />
        ))}
      </ol>
    </>
  );
}

function Reason({
  turn: { waiting, status, user_id, number },
  nowMs,
}: {
  turn: TurnTimeline;
  nowMs: number;
}) {
  const whose = `Turn ${number} of its conversation, user ${user_id}`;
  if (!waiting)
    return (
      <div className="ops-reason">
        <h3>It is over: {status}</h3>
        <p className="quiet">{whose}</p>
      </div>
    );
  const forMs = nowMs - Date.parse(waiting.since);
  return (
    <div className={`ops-reason${isStuck(waiting, nowMs) ? ' is-warning' : ''}`}>
      <h3>
        For {waitWords(waiting)}, {formatElapsed(forMs)} so far
      </h3>
      <p>{waiting.text}</p>
      <p className="quiet">{whose}</p>
    </div>
  );
}

function Line({ line: { code, text, facts, time, kind } }: { line: TimelineLine }) {
  return (
    <li className={`is-${kind}`}>
      <span className="ops-time">{time}</span>
      <div>
        {code !== undefined && <code>{code}</code>} {text}
        {facts !== '' && <small>{facts}</small>}
      </div>
    </li>
  );
}
