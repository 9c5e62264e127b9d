import type { BusObserver } from '../port/bus-observer.js';
import type { Origin } from '../port/deliver.js';
import { isFromItsSender, isLedgerExchange } from '../port/ledger-topology.js';

/** Of a message that came through this exchange. */
export function originOf(exchange: string, observer: BusObserver): Origin {
  return {
    isAllowed: (message) => isFromItsSender(exchange, message),
    onDropped: (why) => {
      if (isLedgerExchange(exchange)) observer.requestDropped(why);
    },
  };
}
