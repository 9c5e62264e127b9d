// Runs after `npm install` in the clone. Never makes an installation without dev dependencies fail.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const buildTools = ['typescript', 'rolldown', 'vite'];
const missing = buildTools.filter((name) => !isInstalled(name));

if (missing.length === 0) {
  await import('./build.mjs');
} else if (existsSync(fileURLToPath(new URL('../dist/bin', import.meta.url)))) {
  console.log('prepare: no dev dependencies here, the existing dist/ stays');
} else {
  console.log(`prepare: nothing built, for ${missing.join(' and ')} is not installed.`);
  console.log(
    'prepare: to build here: npm install --include=dev && npm run build; or copy a dist/ built elsewhere',
  );
}

function isInstalled(name) {
  try {
    createRequire(import.meta.url).resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
