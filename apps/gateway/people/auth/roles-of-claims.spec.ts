import { expect, it } from '@jest/globals';
import { rolesOfClaims } from './roles-of-claims.js';

const CLAIMS = ['roles', 'groups', 'https://example.org/roles', 'realm_access.roles'];
const rolesOf = (claims: object, isOperator = false) =>
  rolesOfClaims(claims as Record<string, unknown>, CLAIMS, isOperator);

it('are found in each of the named claims, once', () => {
  const claims = {
    roles: 'finance',
    groups: ['sales', 'finance'],
    'https://example.org/roles': ['chief'],
    realm_access: { roles: ['clerk'] },
    department: ['secret'],
  };
  expect(rolesOf(claims)).toEqual(['finance', 'sales', 'chief', 'clerk']);
});

it.each([
  [{}],
  [{ roles: null, groups: 5, realm_access: 'roles' }],
  [{ roles: ['', 'x'.repeat(129), 7, null, ['a'], { a: 1 }, 'a\nb', '\ud800'] }],
])('are none in %j', (claims) => {
  expect(rolesOf(claims)).toEqual([]);
});

it('never make an operator, and an operator always has that role', () => {
  expect(rolesOf({ groups: ['operator', 'sales'] })).toEqual(['sales']);
  expect(rolesOf({ groups: ['sales'] }, true)).toEqual(['operator', 'sales']);
});

it('are all that the token names', () => {
  expect(rolesOf({ groups: Array.from({ length: 500 }, (_, i) => `group ${i}`) })).toHaveLength(500);
});
