/* The thread that checks arguments from its TypeScript source. */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
await import('../check-thread.ts');
