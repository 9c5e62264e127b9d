import { describeCompared } from './describe-compared.js';

describeCompared('gateway');
