import { describe } from '@jest/globals';
import { InPlaceChecks } from './in-place-checks.js';
import { describeSlowChecksContract } from './slow-checks-contract.js';

describe('checks in place', () => {
  describeSlowChecksContract(() => ({ checks: new InPlaceChecks() }));
});
