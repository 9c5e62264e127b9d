import { useEffect, useState } from 'react';
import {
  HttpError,
  listConnections,
  readUsage,
  type ConnectedAccount,
  type Usage,
  type UsedDays,
  type UsedSums,
} from '../connection/http.js';
import { formatCost } from '../format/cost.js';
import { countOf, formatNumber } from '../format/durations.js';
import { ConnectedAccounts } from './connected-accounts.js';
import { Popover } from './popover.js';

interface Shown {
  usage?: Usage;
  accounts: ConnectedAccount[];
  problem?: string;
}

/** The model usage of the signed-in user, the rest of a budget, and the accounts that MCP servers may use. */
export default function UsagePopover({ onClose }: { onClose: () => void }) {
  const shown = useShown();
  // Its position depends on its height, so it is rendered together with its content.
  if (!shown) return null;
  const { usage, accounts, problem } = shown;
  return (
    <Popover label="Usage" onClose={onClose}>
      <div className="usage-box">
        {problem && <p className="quiet">{problem}</p>}
        {usage && <Figures usage={usage} />}
        <ConnectedAccounts initial={accounts} />
      </div>
      <span className="menu-actions">
        <button type="button" className="button" data-focus onClick={onClose}>
          Close
        </button>
      </span>
    </Popover>
  );
}

function useShown(): Shown | undefined {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    let isShown = true;
    void Promise.allSettled([readUsage(), listConnections()]).then(([usage, listed]) => {
      if (!isShown) return;
      const problem = problemOf(usage, 'Usage') ?? problemOf(listed, 'Connected accounts');
      setShown({
        ...(usage.status === 'fulfilled' && { usage: usage.value }),
        accounts: listed.status === 'fulfilled' ? listed.value.connections : [],
        ...(problem !== undefined && { problem }),
      });
    });
    return () => {
      isShown = false;
    };
  }, []);
  return shown;
}

function problemOf(read: PromiseSettledResult<unknown>, what: string): string | undefined {
  if (read.status === 'fulfilled') return undefined;
  return read.reason instanceof HttpError ? read.reason.message : `${what} could not be read.`;
}

function Figures({ usage: { today, month, budget } }: { usage: Usage }) {
  return (
    <>
      {budget && <Budget budget={budget} />}
      <Section name="Today" used={today} />
      <Section name="Last 30 days" used={month} />
    </>
  );
}

function Budget({ budget: { tokens, cost, renewed_at } }: { budget: NonNullable<Usage['budget']> }) {
  const at = new Date(renewed_at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <section aria-label="Left today">
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

function Section({ name, used: { total, rows } }: { name: string; used: UsedDays }) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {rows.length === 0 ? (
        <p className="quiet">No model was used.</p>
      ) : (
        <dl className="usage">
          {rows.map((row) => (
            <Line key={row.model} name={row.model} value={describeSums(row)} />
          ))}
          {rows.length > 1 && <Line name="All models" value={describeSums(total)} isSum />}
        </dl>
      )}
    </section>
  );
}

function describeSums({ input_tokens, output_tokens, cost }: UsedSums): string {
  const tokens = countOf(input_tokens + output_tokens, 'token');
  return cost > 0 ? `${tokens} · ${formatCost(cost)}` : tokens;
}

function Line({ name, value, isSum = false }: { name: string; value: string; isSum?: boolean }) {
  return (
    <div className={isSum ? 'usage-sum' : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
