// Jest loads this file natively, without its own TypeScript transform: hence the loader hook.
import { join } from 'node:path';
import '../../scripts/typescript-register.mjs';
import { describeStaleBuild, dist, isUpToDate } from '../../scripts/build-state.mjs';

/** Says where each service will come from; test files start the shared ones on first use. */
export default async function globalSetup() {
  const { planServices } = await import('./services.ts');
  const { ServiceHost } = await import('./service-host.ts');
  const plans = planServices();
  for (const [name, { source, detail }] of Object.entries(plans)) {
    const note = source === 'skipped' ? `SKIPPED: ${detail}` : `${source} (${hidePassword(detail)})`;
    process.stderr.write(`service ${name.padEnd(16)} ${note}\n`);
  }
  process.env.SWITCHYARD_TEST_STALE_BUILD = await describeStaleBuild();
  const builtPage = (await isUpToDate('web')) ? join(dist, 'apps', 'web') : undefined;
  const host = new ServiceHost(plans, builtPage);
  globalThis.switchyardServiceHost = host;
  process.env.SWITCHYARD_TEST_SERVICE_HOST = await host.listen();
  process.env.SWITCHYARD_TEST_SERVICE_PLANS = JSON.stringify(plans);
}

function hidePassword(text) {
  return text.replace(/(:\/\/[^:/@]+:)[^@]+@/, '$1***@');
}
