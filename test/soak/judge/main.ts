import { readHistory } from './history.js';
import { judge } from './judge.js';
import { printVerdict } from './print.js';

/* Judges the folder that a soak left behind: exit code 1 when a goal is missed. */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder?');
const history = readHistory(folder);
const verdict = await judge(history);
console.log(printVerdict(history.run, verdict));
process.exit(verdict.findings.length === 0 ? 0 : 1);
