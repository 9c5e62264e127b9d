// `npm run sbom`: what is deployed, from the lock file, as CycloneDX 1.6 JSON (https://cyclonedx.org/docs/1.6/json/).
// Not `npm sbom`: with dev packages left out it also leaves out those that a dev package needs as well.
import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version, packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8'));

const components = Object.entries(packages)
  .filter(([path, { dev, link }]) => path !== '' && !dev && !link)
  .map(([path, locked]) =>
    toComponent(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), locked),
  );

function toComponent(packageName, { version: exact, integrity, license, optional }) {
  const purl = `pkg:npm/${packageName.replace('@', '%40')}@${exact}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name: packageName,
    version: exact,
    purl,
    // Binaries of other platforms are listed, too.
    scope: optional ? 'optional' : 'required',
    ...(license ? { licenses: [{ expression: license }] } : {}),
    ...(integrity ? { hashes: [toHash(integrity)] } : {}),
  };
}

/** `sha512-<base64>` → algorithm and hexadecimal digits. */
function toHash(integrity) {
  const [algorithm, digest] = integrity.split('-', 2);
  return {
    alg: algorithm.replace('sha', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  };
}

const bom = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { component: { type: 'application', name, version, 'bom-ref': name } },
  components: [...new Map(components.map((component) => [component.purl, component])).values()],
};
console.log(JSON.stringify(bom, null, 2));
