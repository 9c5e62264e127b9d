/* The index thread from its TypeScript source. */
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
await import('../local/knowledge-thread.ts');
