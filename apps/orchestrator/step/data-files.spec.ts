import { expect, it } from '@jest/globals';
import type { CatalogTool } from '#contracts';
import { withDataFiles } from './data-files.js';

const tool = (input_schema: object) => ({ input_schema }) as CatalogTool;
const plots = tool({ type: 'object', properties: { code: {}, dataFiles: { type: 'object' } } });
const data_files = [{ name: 'sales', file: 'sales.2024.csv' }];

it('a tool that takes data files gets those of the turn, in the place of what the model made up', () => {
  const dataFiles = { sales: 'sales.2024.csv' };
  expect(withDataFiles(plots, { code: 'x' }, { data_files })).toEqual({ code: 'x', dataFiles });
  expect(withDataFiles(plots, { dataFiles: { a: 'b' } }, { data_files })).toEqual({ dataFiles });
});

it('any other tool, a turn without files, and arguments that are none stay as they are', () => {
  const args = { code: 'x' };
  expect(withDataFiles(tool({ type: 'object' }), args, { data_files })).toBe(args);
  expect(withDataFiles(plots, args, {})).toBe(args);
  expect(withDataFiles(plots, undefined, { data_files })).toBeUndefined();
});
