/* The thread that reads bodies, from its TypeScript source. */
import '../../../../../scripts/typescript-register.mjs';

await import('../body-thread.ts');
