import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { stringify } from 'yaml';
import { ASYNCAPI_PATH, workerAsyncapi } from './asyncapi/worker-asyncapi.js';
import { publishedNames, publishedPath, publishedSchema } from './published-schemas.js';

/* `npm run schemas`: writes docs/schemas from the zod schemas and the names on the broker. */
for (const name of publishedNames)
  await write(publishedPath(name), JSON.stringify(publishedSchema(name)), 'json');
const yaml = stringify(workerAsyncapi(), { aliasDuplicateObjects: false, lineWidth: 110 });
await write(ASYNCAPI_PATH, `# Written by \`npm run schemas\`.\n${yaml}`, 'yaml');

async function write(path: string, text: string, parser: string): Promise<void> {
  const options = await resolveConfig(path);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, await format(text, { ...options, parser }));
}
