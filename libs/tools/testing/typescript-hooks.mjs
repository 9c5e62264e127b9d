/* Module hooks that let a thread of a test import our TypeScript: `./x.js` is `./x.ts`, compiled when it is loaded. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

export function resolve(specifier, context, next) {
  const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const options = { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } };
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), options);
  return { format: 'module', source: code, shortCircuit: true };
}
