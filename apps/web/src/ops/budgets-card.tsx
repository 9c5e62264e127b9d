import type { ListedModel } from '#contracts';
import { formatDuration, formatNumber } from '../format/durations.js';
import { Card, Table } from './card.js';

/** What is left of what the deployment may ask of each provider or model, and who has to wait for it. */
export function BudgetsCard({ models }: { models: readonly ListedModel[] }) {
  if (models.length === 0) return null;
  return (
    <Card id="budgets" title="Model budgets" note={formatNumber(models.length)}>
      <Table label="Model budgets">
        <thead>
          <tr>
            <th scope="col">Model or provider</th>
            {['Requests left', 'Tokens left', 'Streams', 'Waiting'].map((name) => (
              <th key={name} scope="col" className="right">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <Row key={model.name} model={model} />
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

function Row({ model }: { model: ListedModel }) {
  const { name, waiting, paused_ms: pausedMs } = model;
  return (
    <tr>
      <th scope="row">
        {name}
        {pausedMs !== undefined && (
          <span className="tag ops-tag" title="Its provider asked for it">
            paused for {formatDuration(pausedMs)}
          </span>
        )}
      </th>
      <td className="right">{share(model.requests_left, model.requests_limit)}</td>
      <td className="right">{share(model.tokens_left, model.tokens_limit)}</td>
      <td className="right">{share(model.streams, model.streams_limit)}</td>
      <td className={waiting > 0 ? 'right is-warning' : 'right'}>{formatNumber(waiting)}</td>
    </tr>
  );
}

/** Nothing is left of a budget in debt. */
function share(count: number | undefined, limit: number | undefined): string {
  if (count === undefined) return '–';
  const shown = formatNumber(Math.max(0, count));
  return limit === undefined ? shown : `${shown} of ${formatNumber(limit)}`;
}
