import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../docs/documents.js';
import { pinnedExample } from './golden.js';

/* `npm run samples`: writes the pinned events and requests into docs/protocol.md, in place of the examples there. */
const path = join(root, 'docs/protocol.md');
const text = await readFile(path, 'utf8');
const written = text.replace(/^```json\n([\s\S]*?)^```$/gm, (block, code: string) => {
  const pinned = pinnedExample(JSON.parse(code));
  return pinned === undefined ? block : `\`\`\`json\n${JSON.stringify(pinned)}\n\`\`\``;
});
await writeFile(path, await format(written, { ...(await resolveConfig(path)), parser: 'markdown' }));
