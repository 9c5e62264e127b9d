import { RequestChecks } from '../request-checks.js';
import type { CheckRequest, SlowCheckEnd, SlowChecks } from '../slow-checks.port.js';

/** Checks at once, without a thread: for simulated processes, whose arguments the test chooses. */
export class InPlaceChecks implements SlowChecks {
  readonly limitMs = Infinity;
  private readonly checks = new RequestChecks();

  check(_userId: string, request: CheckRequest): Promise<SlowCheckEnd> {
    return Promise.resolve(this.checks.check(request));
  }
}
