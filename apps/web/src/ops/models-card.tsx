import { Card, Table } from './card.js';
import type { AllUsage, ModelUsage } from './operator-api.js';
import { daysText, UsageCells, UsageHeads } from './usage-cells.js';

/** What each model has been used for, by everybody. */
export function ModelsCard({ models }: { models: AllUsage<ModelUsage> | undefined }) {
  return (
    <Card id="models" title="Models" note={models && daysText(models)}>
      {models?.rows.length === 0 && <p className="ops-none">No model was used.</p>}
      {models && models.rows.length > 0 && (
        <Table label="Models">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <UsageHeads />
            </tr>
          </thead>
          <tbody>
            {models.rows.map((row) => (
              <tr key={row.model}>
                <th scope="row">{row.model}</th>
                <UsageCells usage={row} />
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </Card>
  );
}
