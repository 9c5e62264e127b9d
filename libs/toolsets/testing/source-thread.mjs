/* The index thread from its TypeScript source. */
import '../../../scripts/typescript-register.mjs';

await import('../knowledge-thread.ts');
