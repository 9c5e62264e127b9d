import type { Request, Response } from 'express';

/** Answers with `content` or the requested part. A request for several parts, or an invalid one, gets the whole. */
export function sendContent(request: Request, response: Response, content: Buffer): void {
  if (isKnown(request, response)) {
    response.status(304).end();
    return;
  }
  const ranges = isPartWanted(request, response) ? rangesOf(request, content.byteLength) : undefined;
  if (ranges === -1) {
    response.set('Content-Range', `bytes */${content.byteLength}`).status(416).end();
    return;
  }
  const [range] = Array.isArray(ranges) && ranges.type === 'bytes' && ranges.length === 1 ? ranges : [];
  if (!range) {
    response.status(200).send(content);
    return;
  }
  const { start, end } = range;
  response
    .status(206)
    .set('Content-Range', `bytes ${start}-${end}/${content.byteLength}`)
    .send(content.subarray(start, end + 1));
}

/** Parts are only for GET, and for clients that have the other parts of the same content. */
function isPartWanted({ method, headers }: Request, response: Response): boolean {
  const { 'if-range': known } = headers;
  return method === 'GET' && (known === undefined || known === response.get('ETag'));
}

/** A suffix longer than the content is the whole content; Express takes it for a part that does not exist. */
function rangesOf(request: Request, size: number): ReturnType<Request['range']> {
  const suffix = /^bytes=-0*(\d+)$/.exec(request.headers.range ?? '')?.[1];
  if (suffix !== undefined && size > 0 && Number(suffix) > size)
    return Object.assign([{ start: 0, end: size - 1 }], { type: 'bytes' });
  return request.range(size, { combine: true });
}

/** Express asks the same, but never for a request that forbids caches on its way an old answer. */
function isKnown(request: Request, response: Response): boolean {
  const known = request.headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return known?.some((tag) => tag === '*' || tag === response.get('ETag')) ?? false;
}
