export { DemoModel } from './demo-model.js';
