import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { describeIssues } from '#contracts';
import { mentionsOwner, OWNER_VARIABLE } from './expand-variables.js';

/**
 * A server that acts for a person: each user gives access to an account of theirs, at the server's own issuer. Nobody's
 * connection can list the tools, so they come from a file, or are listed with a token that is used for nothing else.
 */
export const oauthSchema = z.strictObject({
  /** A client that was registered by hand; absent: by its metadata document, or by itself. */
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  /** The only issuer that this client is for: its secret goes to no other one that the server names. */
  issuer: z.url().optional(),
  /** Where issuers read who we are (client id metadata document). */
  clientMetadataUrl: z.url({ protocol: /^https$/, error: 'must be an https:// address' }).optional(),
  /** What to ask for besides what the server wants, with blanks in between. */
  scope: z.string().min(1).optional(),
  /** A file with the result of `tools/list`, relative to the folder of the configuration. */
  tools: z.string().min(1).optional(),
  serviceToken: z.string().min(1).optional(),
  /** Of other MCP hosts, which read the same file. */
  callbackPort: z.unknown().optional(),
  authServerMetadataUrl: z.unknown().optional(),
});

const listedSchema = z.object({
  tools: z.array(
    z.looseObject({
      name: z.string().min(1),
      title: z.string().optional(),
      description: z.string().optional(),
      inputSchema: z.looseObject({ type: z.literal('object') }),
      outputSchema: z.looseObject({ type: z.literal('object') }).optional(),
      annotations: z.looseObject({ title: z.string().optional() }).optional(),
    }),
  ),
});

export type OAuthConfig = Omit<
  z.output<typeof oauthSchema>,
  'tools' | 'callbackPort' | 'authServerMetadataUrl'
> & {
  /** Undefined: they are listed with `serviceToken`. */
  tools?: z.output<typeof listedSchema>['tools'];
};

export interface OAuthEntry {
  scope: string;
  url: string;
  headers: Record<string, string>;
  oauth: z.output<typeof oauthSchema>;
}

/** Why the server cannot act for a person, as the end of a sentence that starts with its place. */
export function findOAuthProblem({ scope, url, headers, oauth }: OAuthEntry): string | undefined {
  const { tools, serviceToken, clientId, clientSecret, issuer } = oauth;
  if (scope !== 'user') return 'needs "scope": "user", because each user has a connection of their own.';
  if ((tools === undefined) === (serviceToken === undefined))
    return 'needs either "tools" (a file with the result of tools/list) or "serviceToken" (a token to list them), because nobody\'s connection can list them.';
  if (clientId === undefined && (clientSecret !== undefined || issuer !== undefined))
    return 'has "clientSecret" or "issuer", which need "clientId".';
  if (clientSecret !== undefined && issuer === undefined)
    return 'has "clientSecret", which needs "issuer": it is sent to no other one.';
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    return 'excludes a header "Authorization".';
  if (mentionsOwner(url))
    return `excludes ${OWNER_VARIABLE} in "url": the issuer must know the server by one address.`;
  return isConfidential(new URL(url))
    ? undefined
    : 'needs an https:// address, because tokens are sent to it.';
}

/** Reads the list. Throws a plain error whose message completes a sentence. */
export function readListedTools(file: string, configPath: string): NonNullable<OAuthConfig['tools']> {
  const path = resolve(dirname(configPath), file);
  const raw = readJson(path);
  const listed = listedSchema.safeParse(raw);
  if (!listed.success) throw new Error(`is no result of tools/list: ${describeIssues(listed.error)}.`);
  return listed.data.tools;
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(code === undefined ? 'is not JSON.' : `cannot be read: ${path} (${code}).`, { cause });
  }
}

/** Whether nobody on the way can read what is sent. */
export function isConfidential(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

export function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
