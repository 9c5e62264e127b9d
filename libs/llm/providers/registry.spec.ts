import { expect, it } from '@jest/globals';
import { KEY_VARIABLES, URL_VARIABLES } from '../port/provider-variables.js';
import { PROVIDERS } from './registry.js';

it('the lists of variables have those of every provider, and no others', () => {
  expect(PROVIDERS.flatMap(({ keyVariable }) => keyVariable ?? [])).toEqual(KEY_VARIABLES);
  expect(PROVIDERS.map(({ urlVariable }) => urlVariable)).toEqual(URL_VARIABLES);
});
