import { describeCompared } from './describe-compared.js';

describeCompared('tool-worker');
