// From the words after `npm test --` to the arguments of jest, and whether the specs need dist/.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { root } from './build-state.mjs';

/** Jest's options that are written with their value as the next word; others are written `--name=value`. */
const withValue = ['-t', '--testNamePattern', '-w', '--maxWorkers', '--selectProjects', '--shard', '--seed'];
/** They take minutes, so jest knows them only when they are named. */
const namedProjects = ['attack', 'faults', 'mutants', 'outages'];
const projects = ['unit', 'services', ...namedProjects];
/** Who imports it, directly or not, may start what is in dist/. */
const builtModule = 'test/services/built.ts';

/**
 * `words`: options of jest and paths of specs or folders, from the folder `from`. The plan says what to start jest with
 * and whether dist/ has to be built. Throws with a sentence for the user when a path leads to no spec.
 */
export function planTests(words, from = root) {
  const { options, paths } = splitWords(words);
  if (paths.length === 0) {
    const selected = options.filter((word) => projects.includes(word)).join();
    return { jestArguments: options, needsBuild: selected !== 'unit' };
  }
  const specs = [...new Set(paths.flatMap((path) => findSpecs(path, resolve(from, path))))];
  return {
    jestArguments: ['--runTestsByPath', ...specs, ...selectProjects(specs, options), ...options],
    needsBuild: specs.some(needsBuild),
  };
}

function splitWords(words) {
  const options = [];
  const paths = [];
  words.forEach((word, index) => {
    const isProject = projects.includes(word) && options.includes('--selectProjects');
    const isValue = isProject || withValue.includes(words[index - 1]);
    (isValue || word.startsWith('-') ? options : paths).push(word);
  });
  return { options, paths };
}

/** As paths from the root, with forward slashes. A folder leaves out what takes minutes, unless it lies in there. */
function findSpecs(path, absolute) {
  if (!existsSync(absolute))
    throw new Error(`${path}: no such file or folder. npm test takes paths of specs.`);
  const given = fromRoot(absolute);
  if (!statSync(absolute).isDirectory()) {
    if (!given.endsWith('.spec.ts')) throw new Error(`${path}: not a spec. Its name must end in .spec.ts.`);
    return [given];
  }
  const isSlow = (file) => namedProjects.some((name) => file.startsWith(`test/${name}/`));
  const found = readdirSync(absolute, { recursive: true })
    .map((name) => fromRoot(join(absolute, name)))
    .filter((file) => file.endsWith('.spec.ts') && !/(^|\/)(node_modules|dist|\.cache)\//.test(file))
    .filter((file) => isSlow(`${given}/`) || !isSlow(file))
    .sort();
  if (found.length === 0) throw new Error(`${path}: no specs in this folder.`);
  return found;
}

function fromRoot(file) {
  return relative(root, file).split(sep).join('/');
}

function selectProjects(specs, options) {
  const named = namedProjects.filter((name) => specs.some((spec) => spec.startsWith(`test/${name}/`)));
  if (named.length === 0 || options.some((option) => option.startsWith('--selectProjects'))) return [];
  return ['--selectProjects', 'unit', 'services', ...named];
}

/** True for a spec that may start what is in dist/. Those in apps and libs import nothing from test/. */
export function needsBuild(spec) {
  const seen = new Set([fromRoot(resolve(root, spec))]);
  for (const file of seen) {
    if (file === builtModule) return true;
    if (!file.startsWith('test/')) continue;
    for (const imported of importsOf(file)) seen.add(imported);
  }
  return false;
}

/** Files that it loads by relative paths; types alone load nothing. */
function importsOf(file) {
  const source = readFileSync(join(root, file), 'utf8').replace(/^(im|ex)port type [^;]*;/gm, '');
  const paths = [...source.matchAll(/(?:from|import\(?)\s*'(\.{1,2}\/[^']+)'/g)].map(([, path]) => path);
  return paths
    .map((path) => join(dirname(file), path).split(sep).join('/'))
    .map((path) => (existsSync(join(root, path)) ? path : path.replace(/\.js$/, '.ts')))
    .filter((path) => existsSync(join(root, path)));
}
