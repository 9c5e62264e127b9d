import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
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

/** What the build lays beside a file, by the name of its encoding; the smallest first. */
const ENCODINGS = { br: '.br', gzip: '.gz' };

/**
 * The static page from `dir`; `assets/` holds files whose names contain their hash. Nothing is compressed here: the
 * build has done it, better than there is time for in an answer.
 */
export function createPage(dir: string): ServePage {
  return (request, response, onMissing) => {
    const path = PAGE_PATHS.has(request.path) ? '/index.html' : request.path;
    if (request.method !== 'GET' && request.method !== 'HEAD') return onMissing();
    if (path === '/index.html' && !existsSync(join(dir, 'index.html'))) return sendMissingBuild(response);
    const accepted = new Set(request.acceptsEncodings());
    const encodings = Object.entries(ENCODINGS).filter(([name]) => accepted.has(name));
    sendFile(response, { dir, path, encodings }, onMissing);
  };
}

interface PageFile {
  dir: string;
  path: string;
  /** Those to try: name and ending of the file. */
  encodings: [string, string][];
}

function sendFile(response: Response, { dir, path, encodings }: PageFile, onMissing: () => void): void {
  const [[encoding, ending] = [undefined, ''], ...others] = encodings;
  const isHashed = path.startsWith('/assets/');
  const headers = {
    'Cache-Control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...(encoding && { 'Content-Encoding': encoding }),
  };
  response.type(extname(path)).vary('Accept-Encoding');
  const options = { root: dir, headers, cacheControl: false, dotfiles: 'ignore' } as const;
  response.sendFile(path + ending, options, (error?: Error) => {
    // A client that disconnects midway is not a missing file; an error thrown here would end the process.
    if (!error || response.headersSent) return;
    for (const name of [...Object.keys(headers), 'Content-Type']) response.removeHeader(name);
    if (encoding) return sendFile(response, { dir, path, encodings: others }, onMissing);
    onMissing();
  });
}

function sendMissingBuild(response: Response): void {
  response.status(503).type('html').setHeader('Cache-Control', 'no-store').send(MISSING_BUILD);
}
