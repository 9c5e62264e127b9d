import { useEffect, useState } from 'react';
import { HttpError, readUsage, type Usage, type UsedLine, type UsedSums } from '../connection/http.js';
import { formatNumber } from '../words/durations.js';
import { Popover } from './popover.js';

/** What models have used for the person at the page, and what is left of a budget. */
export function UsagePopover({ onClose }: { onClose: () => void }) {
  const [usage, setUsage] = useState<Usage>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isShown = true;
    readUsage().then(
      (read) => isShown && setUsage(read),
      (error: unknown) =>
        isShown && setProblem(error instanceof HttpError ? error.message : 'Usage could not be read.'),
    );
    return () => {
      isShown = false;
    };
  }, []);
  // Its place depends on its height, so it comes with what is in it.
  if (!usage && !problem) return null;
  return (
    <Popover label="Usage" onClose={onClose}>
      <div className="usage-box">
        {problem && <p className="quiet">{problem}</p>}
        {usage && <Figures usage={usage} />}
      </div>
      <span className="menu-actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </span>
    </Popover>
  );
}

function Figures({ usage }: { usage: Usage }) {
  const { today, total, rows, budget } = usage;
  return (
    <>
      {budget && <Budget budget={budget} />}
      <Section name="Today" lines={[['All models', today]]} />
      <Section
        name="Last 30 days"
        lines={rows.length === 0 ? [['All models', total]] : rows.map((row) => [row.model ?? '', row])}
      />
    </>
  );
}

function Budget({ budget: { tokens, cost, renewed_at } }: { budget: NonNullable<Usage['budget']> }) {
  const at = new Date(renewed_at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section>
      <h3>Left today</h3>
      <dl className="usage">
        {tokens && (
          <Line name="Tokens" value={`${formatNumber(tokens.left)} of ${formatNumber(tokens.limit)}`} />
        )}
        {cost && <Line name="Cost" value={`${formatCost(cost.left)} of ${formatCost(cost.limit)}`} />}
        <Line name="Renewed" value={at} />
      </dl>
    </section>
  );
}

function Section({ name, lines }: { name: string; lines: [string, UsedSums | UsedLine][] }) {
  return (
    <section>
      <h3>{name}</h3>
      <dl className="usage">
        {lines.map(([what, { input_tokens, output_tokens, cost }]) => (
          <Line
            key={what}
            name={what}
            value={`${formatNumber(input_tokens + output_tokens)} tokens${cost > 0 ? ` · ${formatCost(cost)}` : ''}`}
          />
        ))}
      </dl>
    </section>
  );
}

function Line({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="cut" title={name}>
        {name}
      </dt>
      <dd>{value}</dd>
    </div>
  );
}

/** The unit is the operator's. */
function formatCost(cost: number): string {
  return cost.toLocaleString(undefined, { maximumFractionDigits: cost < 1 ? 4 : 2 });
}
