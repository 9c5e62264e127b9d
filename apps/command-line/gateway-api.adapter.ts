import { limitTime, type Clock } from '#time';
import { CommandError } from './command-error.js';

const TIMEOUT_MS = 30_000;

/** The HTTP API of one gateway. Every failure becomes one clear `CommandError`. */
export class GatewayApi {
  constructor(
    private readonly url: string,
    private readonly token: string | undefined,
    private readonly clock: Clock,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.ask('GET', path) as Promise<T>;
  }

  post<T>(path: string, body?: object): Promise<T> {
    return this.ask('POST', path, body) as Promise<T>;
  }

  put<T>(path: string, body: object): Promise<T> {
    return this.ask('PUT', path, body) as Promise<T>;
  }

  patch<T>(path: string, body: object): Promise<T> {
    return this.ask('PATCH', path, body) as Promise<T>;
  }

  /** Undefined: the answer has no body. */
  delete<T = undefined>(path: string): Promise<T | undefined> {
    return this.ask('DELETE', path) as Promise<T | undefined>;
  }

  private async ask(method: string, path: string, body?: object): Promise<unknown> {
    const { response, text } = await this.send(method, path, body);
    const answer = parseJson(text);
    if (response.ok) {
      if (answer === undefined && text !== '') throw this.stranger();
      return answer;
    }
    throw this.refusal(response, answer as { detail?: unknown } | null | undefined);
  }

  private async send(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ response: Response; text: string }> {
    const headers: Record<string, string> = { accept: 'application/json' };
    if (this.token) headers.authorization = `Bearer ${this.token}`;
    if (body) headers['content-type'] = 'application/json';
    try {
      const response = await fetch(new URL(path, this.url), {
        method,
        headers,
        body: body && JSON.stringify(body),
        signal: limitTime(this.clock, TIMEOUT_MS),
      });
      return { response, text: await response.text() };
    } catch (error) {
      throw new CommandError(
        `No gateway answers at ${this.url} (${reasonOf(error)}). Is it running? Give its address with --url.`,
      );
    }
  }

  private refusal(
    { status, headers }: Response,
    body: { detail?: unknown } | null | undefined,
  ): CommandError {
    if (typeof body?.detail !== 'string') return this.stranger();
    // Other refusals, such as to change one's own account, say themselves what to do.
    const isStranger = status === 401 || (status === 403 && body.detail.startsWith('Only operators'));
    const hint = isStranger ? ' Set SWITCHYARD_TOKEN to a token of an operator.' : '';
    const after = headers.get('retry-after');
    return new CommandError(
      `${body.detail}${hint}${after === null ? '' : ` Try again in ${after} s.`}`,
      status,
    );
  }

  private stranger(): CommandError {
    return new CommandError(`The server at ${this.url} is not a Switchyard gateway.`);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  return cause?.code ?? name ?? 'unknown error';
}
