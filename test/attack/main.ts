import { removeFolders } from '../e2e/standalone-process.js';
import { describeGoal, meetsGoal, type Attack, type Finding } from './attack.js';
import { ATTACKS } from './attacks.js';

/*
 * `npm run attack [name…] [-- --short]`: every attack of docs/security.md against the built program, from outside. Prints
 * a table of figures; exit code 1 when a goal is missed.
 */

const words = process.argv.slice(2);
const isShort = words.includes('--short');
const names = words.filter((word) => word !== '--short');
const unknown = names.filter((name) => !ATTACKS.some((attack) => attack.name === name));
if (unknown.length > 0) {
  const known = ATTACKS.map(({ name }) => name).join(', ');
  console.error(`no attack is called ${unknown.join(', ')}; there are: ${known}; and the option --short`);
  process.exit(2);
}
const chosen = ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name));

const rows: string[] = [];
let missed = 0;
for (const attack of chosen)
  for (const finding of await attempt(attack)) rows.push(describe(attack, finding));
await removeFolders();
console.log(['| attack | what | figure | goal | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n'));
console.log(missed === 0 ? 'every goal met' : `${missed} goals missed`);
process.exit(missed === 0 ? 0 : 1);

async function attempt(attack: Attack): Promise<Finding[]> {
  console.error(`${attack.name}: ${attack.says}`);
  try {
    return await attack.run({ isShort });
  } catch (error) {
    console.error(error);
    return [{ what: 'attacks that could not be carried out', figure: 1, unit: 'count', goal: { atMost: 0 } }];
  }
}

function describe({ name }: Attack, finding: Finding): string {
  const isMet = meetsGoal(finding);
  if (!isMet) missed++;
  const figure = Number(finding.figure.toFixed(2));
  return `| ${name} | ${finding.what} | ${figure} ${finding.unit} | ${describeGoal(finding)} | ${isMet ? 'met' : 'MISSED'} |`;
}
