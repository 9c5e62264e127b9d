import { describeCompared } from './describe-compared.js';

describeCompared('orchestrator');
