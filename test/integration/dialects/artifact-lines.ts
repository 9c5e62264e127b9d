import { expect } from '@jest/globals';
import type { DialectSystem } from './dialect-system.js';

export interface Line {
  type: string;
  message?: string;
  final?: true;
  content?: string;
  artifact?: {
    id: string;
    artifactId: string;
    type: string;
    title: string;
    content: string;
    position: number;
  };
  response?: { conversation: string; thinking?: string; artifacts?: NonNullable<Line['artifact']>[] };
}

/** What a chat comes to, line by line; every line is checked for what all have. */
export async function chat(
  system: DialectSystem,
  body: object,
  path = '/api/chat-artifacts',
): Promise<{ lines: Line[]; response: Response }> {
  const response = await system.post(path, body);
  expect(response.status).toBe(200);
  return { response, lines: linesOf(await response.text()) };
}

export function linesOf(text: string): Line[] {
  expect(text.endsWith('\n')).toBe(true);
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line & { id?: string; timestamp?: string });
  for (const { id, timestamp, type } of lines) {
    expect(new Date(timestamp!).toISOString()).toBe(timestamp);
    if (type === 'error' || type === 'result') continue;
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(lines[0]!.type).toBe('status');
  return lines;
}

export const statuses = (lines: Line[]) =>
  lines.flatMap(({ type, message }) => (type === 'status' ? [message!] : []));
export const contents = (lines: Line[]) =>
  lines.flatMap(({ content, type }) => (type === 'content' ? [content!] : []));
export const answerOf = (lines: Line[]) => contents(lines).join('');
export const artifactsOf = (lines: Line[]) => lines.flatMap(({ artifact }) => (artifact ? [artifact] : []));
