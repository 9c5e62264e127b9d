/* The thread that checks arguments from its TypeScript source. */
import '../../../scripts/typescript-register.mjs';

await import('../check-thread.ts');
