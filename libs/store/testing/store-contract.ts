import { afterAll, beforeAll, describe } from '@jest/globals';
import type { Store } from '../port/store.port.js';
import { describeAccounts } from './account-contract.js';
import { describeBoundedReads } from './bounded-reads-contract.js';
import { describeConnections } from './connection-contract.js';
import { describeInserts } from './insert-contract.js';
import { describeJournalReads } from './journal-contract.js';
import { describeRemoval } from './removal-contract.js';
import { describeSmallCollections } from './small-collections-contract.js';
import { describeTurns } from './turn-contract.js';
import { describeUsage } from './usage-contract.js';
import { describeUserState } from './user-state-contract.js';
import { describeValues } from './value-contract.js';

/** The promises of every adapter of the `Store` port. `createStore` returns a store that is not open. */
export function describeStoreContract(createStore: () => Store | Promise<Store>): void {
  describe('the store contract', () => {
    let opened: Store | undefined;
    const store = () => opened!;
    beforeAll(async () => {
      opened = await createStore();
      await opened.open();
    });
    afterAll(() => opened?.close());

    describeInserts(store);
    describeTurns(store);
    describeBoundedReads(store);
    describeJournalReads(store);
    describeRemoval(store);
    describeSmallCollections(store);
    describeUserState(store);
    describeConnections(store);
    describeAccounts(store);
    describeUsage(store);
    describeValues(store);
  });
}
