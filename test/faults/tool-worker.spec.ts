import { describeFaults } from './describe-faults.js';

describeFaults('tool-worker');
