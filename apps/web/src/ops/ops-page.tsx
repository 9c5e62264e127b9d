import { useEffect } from 'react';
import { useObservable } from '../session/session.js';
import { AccountsCard } from './accounts-card.js';
import { BudgetsCard } from './budgets-card.js';
import { useChosenTurn } from './chosen-turn.js';
import type { FleetWatch } from './fleet-watch.js';
import { LettersCard } from './letters-card.js';
import { ModelsCard } from './models-card.js';
import { OpsHeader } from './ops-header.js';
import { OpsNav } from './ops-nav.js';
import { Overview } from './overview.js';
import { ProcessesCard } from './processes-card.js';
import { SwitchesCard } from './switches-card.js';
import { ToolsetsCard } from './toolsets-card.js';
import { TurnsCard } from './turns-card.js';
import { WhyCard } from './why-card.js';

/**
 * Everything that operators see, as of the newest answer: no clock runs on between two of them. It is not shown before
 * the first dead letters are, because the verdict depends on them.
 */
export function OpsPage({ watch }: { watch: FleetWatch }) {
  const watched = useObservable(watch.state);
  const chosenId = useChosenTurn();
  useEffect(() => watch.choose(chosenId), [watch, chosenId]);
  const { fleet, switches, turns, letters, usage, models, accounts, chosen, problem } = watched;
  const refresh = () => watch.refresh();
  const nowMs = fleet ? Date.parse(fleet.at) : 0;
  return (
    <div className={`ops${problem === undefined ? '' : ' is-disconnected'}`}>
      <OpsNav watched={watched} />
      <main className="ops-main">
        <OpsHeader at={fleet?.at} problem={problem} />
        {fleet && switches && letters && (
          <div className="ops-deck">
            <Overview fleet={fleet} letters={letters} switches={switches} />
            <WhyCard chosen={chosen} nowMs={nowMs} />
            <div className="ops-column">
              <SwitchesCard switches={switches} nowMs={nowMs} onChange={refresh} />
              <ToolsetsCard
                fleet={fleet}
                turns={turns}
                switches={switches}
                history={watch.history}
                nowMs={nowMs}
                onChange={refresh}
              />
              <ProcessesCard
                processes={fleet.processes}
                switches={switches}
                beats={watch.beats}
                nowMs={nowMs}
                onChange={refresh}
              />
              <TurnsCard turns={turns} chosenId={chosenId} nowMs={nowMs} />
              <LettersCard letters={letters} nowMs={nowMs} onChange={refresh} />
              <BudgetsCard models={fleet.models} />
              <ModelsCard models={models} />
              <AccountsCard usage={usage} accounts={accounts} />
            </div>
          </div>
        )}
      </main>
    </div>
  );
}
