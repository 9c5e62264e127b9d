import { expect, it } from '@jest/globals';
import { KEY_VARIABLES, URL_VARIABLES } from '../port/provider-variables.js';
import { TOOL_FORMS } from '../schemas/tool-forms.js';
import { PROVIDERS } from './registry.js';

it('the lists of variables have those of every provider, and no others', () => {
  expect(PROVIDERS.flatMap(({ keyVariable }) => keyVariable ?? [])).toEqual(KEY_VARIABLES);
  expect(PROVIDERS.map(({ urlVariable }) => urlVariable)).toEqual(URL_VARIABLES);
});

it('the forms of tools are those of every provider', () => {
  const forms = PROVIDERS.map(({ name, toSchema, ...provider }) => {
    return [
      name,
      {
        toSchema,
        ...('maxDescriptionLength' in provider && { maxDescriptionLength: provider.maxDescriptionLength }),
      },
    ];
  });
  expect(Object.fromEntries(forms)).toEqual(TOOL_FORMS);
});
