// What each part of the build is made from, and whether dist/ was built from what the sources say now.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const dist = join(root, 'dist');
export const web = join(root, 'apps', 'web');
const settings = ['package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.mjs'];

/** Of the programs; paths from the root. What only tests load is left out, as in tsconfig.build.json. */
export async function listServerSources() {
  return [...(await listFiles('libs')), ...(await listFiles('apps', web))].filter(isBuilt);
}

async function listWebSources() {
  return [...(await listFiles('apps/web')), ...(await listFiles('libs'))].filter(isBuilt);
}

function isBuilt(file) {
  return !file.endsWith('.spec.ts') && !file.includes('/testing/');
}

/** `server` or `web`; true when nothing that it is built from has changed since `markBuilt`. */
export async function isUpToDate(part) {
  const stampFile = join(dist, `.${part}.stamp`);
  return existsSync(stampFile) && (await readFile(stampFile, 'utf8')) === (await fingerprint(part));
}

/** `stamp` is the fingerprint from before the build: what changes during a build is built by the next one. */
export async function markBuilt(part, stamp) {
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, `.${part}.stamp`), stamp);
}

export async function fingerprint(part) {
  const sources = part === 'web' ? await listWebSources() : await listServerSources();
  const hash = createHash('sha256');
  for (const file of [...settings, ...sources]) {
    const { size, mtimeMs } = await stat(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** A sentence that says what to do when dist/ is missing or older than the sources; otherwise empty. */
export async function describeStaleBuild() {
  for (const part of ['server', 'web']) {
    if (!existsSync(join(dist, `.${part}.stamp`)))
      return 'dist/ has not been built: run npm run build first.';
    if (!(await isUpToDate(part)))
      return 'dist/ is older than the sources: run npm run build first, or npm test -- <path>, which does it.';
  }
  return '';
}

/** Files below a folder, as sorted paths from the root with forward slashes; a missing folder is empty. */
export async function listFiles(folder, excluded) {
  if (!existsSync(join(root, folder))) return [];
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter(
      (path) => !path.includes(`${sep}node_modules${sep}`) && !(excluded && path.startsWith(excluded + sep)),
    )
    .map((path) => relative(root, path).split(sep).join('/'))
    .sort();
}
