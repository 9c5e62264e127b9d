import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { publishedNames, publishedPath, publishedSchema } from './published-schemas.js';

/* `npm run schemas`: writes docs/schemas from the zod schemas. */
for (const name of publishedNames) {
  const path = publishedPath(name);
  const options = await resolveConfig(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await format(JSON.stringify(publishedSchema(name)), { ...options, parser: 'json' }));
}
