import { describeFaultsInWorld } from './play-fault.js';

describeFaultsInWorld('tool-worker');
