import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Response } from 'express';
import type { ServePage } from '../refusals/problem.filter.js';

/** Where the build puts the page, seen from the source and from the build. */
export function builtPageDir(): string {
  const path = import.meta.url.endsWith('.ts') ? '../../../../dist/apps/web/' : '../../../web/';
  return fileURLToPath(new URL(path, import.meta.url));
}

const MISSING_BUILD =
  '<!doctype html><meta charset="utf-8"><title>Switchyard</title>' +
  '<p>The page has not been built. Run <code>npm run build</code> and reload.</p>\n';

/** Addresses of the page itself; it finds out which one it has. */
const PAGE_PATHS = new Set(['/', '/ops', '/ops/']);

/** The static page from `dir`; `assets/` holds files whose names contain their hash. */
export function createPage(dir: string): ServePage {
  return (request, response, onMissing) => {
    const path = PAGE_PATHS.has(request.path) ? '/index.html' : request.path;
    if (request.method !== 'GET' && request.method !== 'HEAD') return onMissing();
    if (path === '/index.html' && !existsSync(join(dir, 'index.html'))) return sendMissingBuild(response);
    sendFile(response, dir, path, onMissing);
  };
}

function sendFile(response: Response, root: string, path: string, onMissing: () => void): void {
  const isHashed = path.startsWith('/assets/');
  const headers = { 'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache' };
  response.sendFile(path, { root, headers, cacheControl: false, dotfiles: 'ignore' }, (error?: Error) => {
    // A client that disconnects midway is not a missing file; an error thrown here would end the process.
    if (!error || response.headersSent) return;
    response.removeHeader('Cache-Control');
    onMissing();
  });
}

function sendMissingBuild(response: Response): void {
  response.status(503).type('html').setHeader('Cache-Control', 'no-store').send(MISSING_BUILD);
}
