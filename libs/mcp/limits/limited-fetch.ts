/** Longer messages of a server are not read to their end. */
export const MAX_MESSAGE_BYTES = 24 * 1024 * 1024;

/** `fetch` for the HTTP transport. Fails a response body, or an event of an event stream, over the limit. */
export async function limitedFetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  const isEventStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limiter(isEventStream)), { status, statusText, headers });
}

/** `fetch` that fails a response body over the limit, whatever its type. */
export async function fetchWithin(
  maxBytes: number,
  url: string | URL,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(url, init);
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(limiter(false, maxBytes)), { status, statusText, headers });
}

function limiter(
  isEventStream: boolean,
  maxBytes = MAX_MESSAGE_BYTES,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isEventStream ? endOfLastEvent(chunk) : -1;
      bytes = end === -1 ? bytes + chunk.byteLength : chunk.byteLength - end;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(new Error(`The response is over the limit of ${maxBytes} bytes.`));
    },
  });
}

/** An empty line ends an event; servers use both kinds of line end. */
function endOfLastEvent(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf('\n\n'), bytes.lastIndexOf('\r\n\r\n'));
}
