// `node --import ./scripts/typescript-register.mjs --conditions=switchyard-source some-file.ts`: runs TypeScript as it is.
import { register } from 'node:module';

register('./typescript-loader.mjs', import.meta.url);
