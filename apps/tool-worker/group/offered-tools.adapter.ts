import { limitTime, type Clock } from '#time';
import type { OfferedTool } from '#toolsets';

const TIMEOUT_MS = 30_000;

/** The message says why there is nothing to compare with, and what to do. */
export class NoOfferError extends Error {
  override name = 'NoOfferError';
}

/** What the gateway at this address offers now. Throws `NoOfferError`. */
export async function listOfferedTools(
  gateway: string,
  { token, clock }: { token: string | undefined; clock: Clock },
): Promise<OfferedTool[]> {
  const url = new URL('/api/tools', gateway);
  const { status, text } = await ask(url, token, clock);
  if (status === 401 || status === 403)
    throw new NoOfferError(
      `The gateway at ${url.origin} refuses this request. Set SWITCHYARD_TOKEN to a token of a user of it.`,
    );
  const tools = status === 200 ? readTools(text) : undefined;
  if (tools) return tools;
  throw new NoOfferError(
    `The server at ${url.origin} gives no list of tools (HTTP ${status}). Is it a gateway of Switchyard? Correct --running.`,
  );
}

async function ask(
  url: URL,
  token: string | undefined,
  clock: Clock,
): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      signal: limitTime(clock, TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    const { name, cause } = error as { name: string; cause?: { code?: string; message?: string } };
    throw new NoOfferError(
      `No gateway answers at ${url.origin} (${cause?.code ?? cause?.message ?? name}). Is it running? Correct --running.`,
    );
  }
}

function readTools(text: string): OfferedTool[] | undefined {
  try {
    const { tools } = JSON.parse(text) as { tools?: OfferedTool[] };
    return Array.isArray(tools) ? tools : undefined;
  } catch {
    return undefined;
  }
}
