// `node scripts/complete-lockfile.mjs [package-lock.json]`, after `npm install` behind a registry that offers only this
// platform's binaries: npm leaves the others' out of the lock file, and `npm ci` then refuses it everywhere. Adds them
// by exact version and platform, without a checksum, for nobody here can fetch them.
import { readFileSync, writeFileSync } from 'node:fs';

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
const file = process.argv[2] ?? 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
const skipped = [];

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const path = `node_modules/${name}`;
    if (Object.keys(lock.packages).some((known) => known === path || known.endsWith(`/${path}`))) continue;
    const platform = readPlatform(name);
    if (!platform || !/^\d+\.\d+\.\d+\S*$/.test(version)) {
      skipped.push(`${name}@${version}`);
      continue;
    }
    lock.packages[path] = { version, ...platform, ...(parent.dev ? { dev: true } : {}), optional: true };
    added.push(name);
  }
}

const byPath = ([a], [b]) => a.localeCompare(b, 'en');
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
writeFileSync(file, JSON.stringify(lock, null, 2) + '\n');
console.log(`${added.length} entries added to ${file}`);
if (skipped.length > 0) console.log(`not understood, left out: ${skipped.join(', ')}`);

/** `@swc/core-linux-arm64-musl` → linux, arm64, musl; undefined when the name does not say. */
function readPlatform(name) {
  const words = name.toLowerCase().split(/[^a-z0-9]+/);
  const system = systems.find((word) => words.includes(word));
  const processor = processors.find((word) => words.includes(word));
  const isWeb = processor === 'wasm32';
  if (!processor || (!system && !isWeb)) return undefined;
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : undefined;
  return {
    cpu: [processor],
    ...(isWeb ? {} : { os: [system] }),
    ...(system === 'linux' && libc ? { libc } : {}),
  };
}
