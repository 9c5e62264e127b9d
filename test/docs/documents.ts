import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Document {
  /** From the root, with `/`. */
  path: string;
  text: string;
}

export interface CodeBlock {
  language: string;
  code: string;
}

const OUTSIDE_OF_DOCS = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'packages/tool-worker/README.md',
  'examples/python-worker/README.md',
  'examples/another-team/README.md',
];

/** Every Markdown file below `docs/`, and those elsewhere. */
export function listDocuments(): Document[] {
  const entries = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const below = entries.filter((path) => path.endsWith('.md')).map((path) => `docs/${path}`);
  return [...OUTSIDE_OF_DOCS, ...below.sort()].map((path) => ({ path, text: readDocument(path) }));
}

/** Every TypeScript file of ours. */
export function listSources(): Document[] {
  return ['apps', 'libs', 'test', 'bench'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => ({ path: `${folder}/${path}`, text: readDocument(`${folder}/${path}`) })),
  );
}

export function readDocument(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Fenced blocks in order, without those inside lists or quotes. */
export function codeBlocks(text: string, language: string): CodeBlock[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .map(([, name, code]) => ({ language: name!, code: code! }))
    .filter((block) => block.language === language);
}

/** Everything outside of fenced blocks. */
export function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** Contents of `…` spans. */
export function codeSpans(text: string): string[] {
  return [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
}

/** The part of a document below a heading, up to the next one of the same or a higher level. */
export function section(text: string, heading: string): string {
  const lines = text.split('\n');
  const start = lines.indexOf(heading);
  if (start < 0) throw new Error(`there is no heading "${heading}"`);
  const level = /^#+/.exec(heading)![0].length;
  const end = lines.findIndex(
    (line, index) => index > start && (/^(#+) /.exec(line)?.[1]?.length ?? 9) <= level,
  );
  return lines.slice(start + 1, end < 0 ? undefined : end).join('\n');
}

/** First cells of the rows of every table in a text, header rows excluded. */
export function firstCells(text: string): string[] {
  const rows = text.split('\n').filter((line) => /^\|/.test(line));
  const isRule = (line: string | undefined): boolean => /^\|[\s:|-]+\|$/.test(line ?? '');
  return rows
    .filter((line, index) => !isRule(line) && !isRule(rows[index + 1]))
    .map((line) => line.split('|')[1]!.trim());
}

/** Texts of the headings, in order. */
export function headingsOf(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!);
}
