import { expect, it } from '@jest/globals';
import type { User } from './auth/user.js';
import { Roles } from './roles.js';

const ann: User = { id: 'ann', isOperator: false, roles: ['sales', 'finance', 'book club'] };

it('are those of the token that a rule names, in one order', async () => {
  expect(await new Roles(new Set(['sales', 'finance', 'chief'])).of(ann)).toEqual(['finance', 'sales']);
});

it('are read again where they may have changed', async () => {
  const roles = new Roles(new Set(['chief']), async ({ id }) => (id === 'ann' ? ['chief'] : []));
  expect(await roles.of(ann)).toEqual(['chief']);
  expect(await roles.of({ ...ann, id: 'ben' })).toEqual([]);
});

it('are not even read where no rule names one', async () => {
  const roles = new Roles(new Set(), () => Promise.reject(new Error('read')));
  expect(await roles.of(ann)).toEqual([]);
});
