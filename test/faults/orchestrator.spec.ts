import { describeFaults } from './describe-faults.js';

describeFaults('orchestrator');
