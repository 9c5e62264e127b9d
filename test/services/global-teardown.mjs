export default async function globalTeardown() {
  await globalThis.switchyardServiceHost?.stop();
}
