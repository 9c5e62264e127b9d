import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { builtFolder } from '../services/built.js';
import { runCommand } from '../services/child.js';
import { newFolder, removeFolders } from './standalone-process.js';

/** Many at once, so that one of them is sure to be inside SQLite whenever the end comes. */
const KNOWLEDGE_BASES = 20;
const DOCUMENTS = 2_000;

const SEARCHER = JSON.stringify(join(builtFolder, 'libs/toolsets/knowledge-searcher.js'));

/** Ends when every thread has written the first of its index. */
const programThatEnds = (documents: string, indexes: string, ending: string) => `
  import { statSync } from 'node:fs';
  const { KnowledgeSearcher } = await import(${SEARCHER});
  process.setMaxListeners(0);
  const files = Array.from({ length: ${KNOWLEDGE_BASES} }, (_, n) => ${JSON.stringify(indexes)} + '/' + n + '.db');
  const searchers = files.map((file) => new KnowledgeSearcher({ folder: ${JSON.stringify(documents)}, file }));
  for (const searcher of searchers) searcher.start();
  const hasBegun = (file) => statSync(file + '-wal', { throwIfNoEntry: false })?.size > 100_000;
  const looking = setInterval(async () => {
    if (!files.every(hasBegun)) return;
    clearInterval(looking);
    ${ending}
    process.exit(0);
  }, 5);`;

afterEach(removeFolders);

test.each([
  ['a process that exits', ''],
  ['a toolset that stops', 'await Promise.all(searchers.map((searcher) => searcher.stop()));'],
])('%s in the middle of indexing ends with its own code, not by SIGABRT', async (_, ending) => {
  const [documents, indexes] = [await newFolder(), await newFolder()];
  const text = Array.from({ length: 600 }, (_, n) => `word${n % 97} and${n % 13}`).join(' ');
  await Promise.all(
    Array.from({ length: DOCUMENTS }, (_, n) => writeFile(join(documents, `${n}.md`), `# ${n}\n\n${text}`)),
  );
  const program = join(indexes, 'program.mjs');
  await writeFile(program, programThatEnds(documents, indexes, ending));
  expect(await runCommand(process.execPath, [program], { env: {} })).toBe('');
});
