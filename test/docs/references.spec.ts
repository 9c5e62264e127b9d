import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import {
  codeSpans,
  headingsOf,
  listDocuments,
  listSources,
  prose,
  root,
  type Document,
} from './documents.js';

const documents = listDocuments();
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

const PATH = /^(apps|libs|packages|test|docs|deploy|bench|scripts|examples|\.ci)(\/[\w.-]+)+\/?$/;
const ROOT_FILE = /^(\.?[\w-]+\.(json|js|md|yml)|Dockerfile|LICENSE|\.env\.example)$/;
/** Files that people write, and what a run leaves behind. */
const NOT_IN_THE_REPOSITORY = ['mcp.json', 'switchyard.json'];

function pathsIn({ text }: Document): string[] {
  return codeSpans(text).filter(
    (span) => PATH.test(span) || (ROOT_FILE.test(span) && !NOT_IN_THE_REPOSITORY.includes(span)),
  );
}

/** As GitHub makes them from headings. */
function anchorsOf(text: string): string[] {
  return [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-'),
  );
}

function linksIn({ text }: Document): string[] {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function isBroken(from: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, path))) return true;
  return anchor !== undefined && !anchorsOf(readFileSync(join(root, path), 'utf8')).includes(anchor);
}

describe.each(documents)('$path', (document) => {
  it('names only paths that exist', () => {
    expect(pathsIn(document).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names only npm scripts that exist', () => {
    const named = [...document.text.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)];
    const names = named.map(([, script, short]) => script ?? short!);
    expect(names.filter((name) => !(name in scripts))).toEqual([]);
  });

  it('has no broken link inside the repository', () => {
    expect(linksIn(document).filter((link) => isBroken(document.path, link))).toEqual([]);
  });
});

describe('the documents', () => {
  it('name enough paths to make these tests meaningful', () => {
    expect(documents.flatMap(pathsIn).length).toBeGreaterThan(50);
    expect(documents.flatMap(linksIn).length).toBeGreaterThan(15);
  });

  it('have pictures of at most 200 kB', () => {
    const pictures = documents.flatMap((document) =>
      linksIn(document)
        .filter((link) => link.endsWith('.png'))
        .map((link) => join(dirname(document.path), link)),
    );
    expect(pictures.length).toBeGreaterThan(0);
    for (const picture of pictures)
      expect(readFileSync(join(root, picture)).byteLength).toBeLessThanOrEqual(200_000);
  });
});

/** As a comment cites a document: its path, and perhaps one heading or several in quotation marks. */
const CITATION = /\b(README\.md|docs\/[\w/-]+\.md)((?:,? (?:and )?"[^"]+")*)/g;
/** A document that is named without its path, and sections that the documents here do not number. */
const LOOSE = /(?<!docs\/)\barchitecture(\.md)?[:, ]+(§|"|claim and)|\b(architecture|design) §/i;

describe('the sources', () => {
  const sources = listSources();

  it('cite documents and headings that exist', () => {
    const cited = sources.flatMap(({ path, text }) =>
      [...commentsOf(text).matchAll(CITATION)].map(([, name, headings]) => {
        const quoted = [...headings!.matchAll(/"([^"]+)"/g)].map(([, heading]) => heading!);
        return { path, document: name!, quoted };
      }),
    );
    expect(cited.filter(({ quoted }) => quoted.length > 0).length).toBeGreaterThan(5);
    const broken = cited.filter(({ document, quoted }) => {
      const found = documents.find(({ path }) => path === document);
      return !found || quoted.some((heading) => !headingsOf(found.text).includes(heading));
    });
    expect(broken).toEqual([]);
  });

  it('cite no architecture or design document outside the repository', () => {
    expect(sources.filter(({ text }) => LOOSE.test(commentsOf(text))).map(({ path }) => path)).toEqual([]);
  });
});

/** Comments, each on one line. */
function commentsOf(text: string): string {
  const comments = text.match(/\/\*[\s\S]*?\*\/|\/\/.*$/gm) ?? [];
  return comments.map((comment) => comment.replace(/\s*\n\s*\*?\s*/g, ' ')).join('\n');
}
