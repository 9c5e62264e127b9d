// `npm test`: builds and runs everything. `npm test -- <path> …`: specs and folders, and builds only what they start.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './build-state.mjs';
import { planTests } from './test-plan.mjs';

const plan = planOrExit();
if (plan.needsBuild) {
  const { status } = spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
// In this process, so that signals and the exit code need no passing on. jest.config.js looks at the arguments, too.
process.argv.splice(2, Infinity, ...plan.jestArguments);
process.env.NODE_ENV ??= 'test';
process.chdir(root);
const { run } = await import('jest');
await run();

function planOrExit() {
  try {
    return planTests(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd());
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
