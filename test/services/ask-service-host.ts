import type { HostedService, SharedServiceAddress } from './services.js';

/** Starts it if no file of this run has asked before; rejects with the reason when it did not start. */
export async function askServiceHost(name: HostedService): Promise<SharedServiceAddress> {
  const host = process.env.SWITCHYARD_TEST_SERVICE_HOST;
  if (!host) throw new Error(`${name}: this file does not run in the jest project "services"`);
  const response = await fetch(`${host}/${name}`);
  if (!response.ok) throw new Error(`${name} did not start: ${await response.text()}`);
  return (await response.json()) as SharedServiceAddress;
}
