import type { Step, TurnOptions } from '#contracts';

/**
 * Whether this row is its turn's last. A `model` step ends the turn when it has no calls, the provider did not merely
 * pause, and no formatter step is still due. `cancel` and `fail` always end the turn, `summary` never does.
 */
export function endsTurn(options: TurnOptions, step: Step): boolean {
  switch (step.kind) {
    case 'cancel':
    case 'fail':
      return true;
    case 'summary':
      return false;
    case 'model':
      if (step.calls.length > 0 || step.stop_reason === 'pause_turn') return false;
      return !options.formatter || step.final === true;
  }
}
