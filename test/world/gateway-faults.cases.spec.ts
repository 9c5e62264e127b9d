import { describeFaultsInWorld } from './play-fault.js';

describeFaultsInWorld('gateway');
