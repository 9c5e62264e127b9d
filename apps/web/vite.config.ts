import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The page's own policy; the gateway sends the same one. Kept here so that `vite preview` shows violations. */
const contentSecurityPolicy = "default-src 'self'; img-src 'self' data: blob:";

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  resolve: { conditions: ['switchyard-source', 'module', 'browser', 'development|production'] },
  build: {
    outDir: fileURLToPath(new URL('../../dist/apps/web', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // `light-dark()` as it is: the lowered form costs a third of the style sheet.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    chunkSizeWarningLimit: 600,
    assetsInlineLimit: 0,
    rolldownOptions: {
      // `#turn` needs no schema at run time: without this, zod alone would be a third of the bundle.
      treeshake: { moduleSideEffects: (id) => !/\/(zod|libs\/(contracts|turn))\//.test(id) },
    },
  },
  server: {
    proxy: { '/api': 'http://127.0.0.1:3000', '/socket.io': { target: 'ws://127.0.0.1:3000', ws: true } },
  },
  preview: { headers: { 'Content-Security-Policy': contentSecurityPolicy } },
});
