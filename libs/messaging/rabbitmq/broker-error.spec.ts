import { expect, it } from '@jest/globals';
import { explainToGroup } from './broker-error.js';

const ELSEWHERE = 'or these credentials belong to another group';
const failed = (code: number, message: string) => Object.assign(new Error(message), { code });

it.each([
  [failed(404, "no exchange 'switchyard.ledger.lab'"), 'the group lab is not in CONFIG of the orchestrators'],
  [
    failed(403, "access to queue 'worker.lab.1' refused"),
    'the group lab is not in CONFIG of the orchestrators',
  ],
  [
    failed(403, "access to queue 'tools.shop' refused"),
    'the toolset shop is not in the group lab in CONFIG of the orchestrators',
  ],
])('explainToGroup says why the broker refused: %s', (error, reason) => {
  expect(explainToGroup('lab', error)).toBe(`${error.message}: ${reason}, ${ELSEWHERE}`);
});

it('explainToGroup adds nothing to other failures', () => {
  expect(explainToGroup('lab', failed(406, 'inequivalent arg'))).toBe('inequivalent arg');
});
