import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'libsql';
import { yieldToEventLoop, type Clock } from '#time';
import { chunkDocument } from './document-chunks.js';
import { listDocuments, type DocumentFile } from './document-folder.js';
import { openIndex } from './open-index.js';
import { toMatchExpression, toSearchTerms } from './search-terms.js';
import { Uninterrupted } from './uninterrupted.js';

export interface SearchHit {
  /** The document's path in the folder. */
  source: string;
  /** 0 to 100. */
  relevance: number;
  /** One line of at most 300 characters, ending in `...` if cut. */
  content: string;
}

/** The duration of reading and indexing after which waiting searches may run. */
const BATCH_MS = 50;
/** A chunk's rowid is its document's id times this, plus its number. */
const ROWIDS_PER_DOCUMENT = 100_000;
const MAX_CANDIDATES = 50;
/** A word in more passages than this says little about any of them, and ranking by it takes long. */
const MAX_PASSAGES_OF_RARE_WORD = 500;
const MAX_HITS = 5;
const MAX_CONTENT_LENGTH = 300;
/** Set by SQLite before each word found. */
const FOUND_MARK = '\u0001';

interface DocumentRow {
  id: number;
  path: string;
  modified_ms: number;
  size: number;
  hash: string;
}

interface Candidate {
  id: number;
  path: string;
  body: string;
  excerpt: string;
  score: number;
}

/**
 * A full-text index of a folder, in a disposable SQLite file. SQLite is synchronous, so run it in a separate thread. A
 * search reads only the index; `update` applies changes in the folder and lets searches run in between.
 */
export class DocumentIndex {
  private readonly database: Database.Database;

  constructor(
    private readonly folder: string,
    file: string,
    private readonly clock: Pick<Clock, 'soon' | 'now'>,
    private readonly uninterrupted = new Uninterrupted(),
  ) {
    this.database = uninterrupted.hold(() => openIndex(file));
  }

  /** At most five hits, best first: by the share of the question's words found, then by bm25. */
  search(query: string): SearchHit[] {
    const terms = toSearchTerms(query);
    return terms.length === 0 ? [] : this.uninterrupted.hold(() => this.find(terms));
  }

  private find(terms: readonly string[]): SearchHit[] {
    const candidates = this.findCandidates(terms);
    const found = this.countTerms(terms, candidates);
    return candidates
      .map((candidate) => ({
        candidate,
        relevance: relevanceOf(candidate, found.get(candidate.id) ?? 0, terms.length),
      }))
      .sort((a, b) => b.relevance - a.relevance)
      .slice(0, MAX_HITS)
      .map(({ candidate, relevance }) => ({
        source: candidate.path,
        relevance,
        content: excerptOf(candidate),
      }));
  }

  /** Reads new or changed files (by time or size, then hash) and removes deleted ones. */
  async update(): Promise<void> {
    const files = await listDocuments(this.folder);
    const rows = this.uninterrupted.hold(() => this.listRows());
    const known = new Map(rows.map((row) => [row.path, row]));
    const present = new Set(files.map(({ path }) => path));
    await this.inBatches(
      rows.filter(({ path }) => !present.has(path)),
      (row) => this.remove(row),
    );
    const touched = files.filter((file) => {
      const row = known.get(file.path);
      return !row || row.modified_ms !== file.modifiedMs || row.size !== file.size;
    });
    await this.inBatches(touched, (file) => this.take(file, known.get(file.path)));
  }

  private async inBatches<T>(items: readonly T[], act: (item: T) => void): Promise<void> {
    let at = 0;
    const takeBatch = this.database.transaction(() => {
      const endsAt = this.clock.now() + BATCH_MS;
      while (at < items.length && this.clock.now() < endsAt) act(items[at++]!);
    });
    while (at < items.length) {
      this.uninterrupted.hold(takeBatch);
      await yieldToEventLoop(this.clock);
    }
  }

  close(): void {
    this.uninterrupted.hold(() => this.database.close());
  }

  private listRows(): DocumentRow[] {
    return this.database.prepare('SELECT * FROM documents').all() as DocumentRow[];
  }

  private take(file: DocumentFile, known: DocumentRow | undefined): void {
    const text = this.readText(file);
    if (text === undefined) return;
    const hash = createHash('sha256').update(text).digest('hex');
    if (known?.hash === hash) {
      const sql = 'UPDATE documents SET modified_ms = ?, size = ? WHERE id = ?';
      this.database.prepare(sql).run(file.modifiedMs, file.size, known.id);
      return;
    }
    if (known) this.remove(known);
    const document = 'INSERT INTO documents (path, modified_ms, size, hash) VALUES (?, ?, ?, ?) RETURNING id';
    const { id } = this.database.prepare(document).get(file.path, file.modifiedMs, file.size, hash) as {
      id: number;
    };
    const insert = this.database.prepare('INSERT INTO chunks (rowid, title, body) VALUES (?, ?, ?)');
    chunkDocument(text).forEach(({ title, body }, number) => {
      // People also look for a document by its name.
      insert.run(id * ROWIDS_PER_DOCUMENT + number, `${file.path} ${title}`, body);
    });
  }

  /** Undefined for a file that was deleted or may not be read: the next update looks again. */
  private readText({ path }: DocumentFile): string | undefined {
    try {
      return readFileSync(join(this.folder, path), 'utf8');
    } catch {
      return undefined;
    }
  }

  private remove({ id }: DocumentRow): void {
    const first = id * ROWIDS_PER_DOCUMENT;
    this.database
      .prepare('DELETE FROM chunks WHERE rowid BETWEEN ? AND ?')
      .run(first, first + ROWIDS_PER_DOCUMENT - 1);
    this.database.prepare('DELETE FROM documents WHERE id = ?').run(id);
  }

  /**
   * Candidates ranked by the telling words. If these find little, also passages that contain all of the common words.
   */
  private findCandidates(terms: readonly string[]): Candidate[] {
    const common = terms.filter((term) => this.isCommon(term));
    const distinctive = terms.filter((term) => !common.includes(term));
    const ranked = distinctive.length > 0 ? this.rank(toMatchExpression(distinctive)) : [];
    if (ranked.length >= MAX_HITS || common.length === 0) return ranked;
    const known = new Set(ranked.map(({ id }) => id));
    const expressions = [toMatchExpression(common, 'AND'), toMatchExpression(common)];
    const more = expressions
      .map((expression) => this.findUnranked(expression))
      .find(({ length }) => length > 0);
    return [...ranked, ...(more ?? []).filter(({ id }) => !known.has(id))];
  }

  private isCommon(term: string): boolean {
    const limit = MAX_PASSAGES_OF_RARE_WORD + 1;
    const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM chunks WHERE chunks MATCH ? LIMIT ${limit})`;
    const { n } = this.database.prepare(sql).get(toMatchExpression([term])) as { n: number };
    return n === limit;
  }

  private rank(expression: string): Candidate[] {
    return this.read(
      `SELECT rowid AS id, -bm25(chunks, 2.0, 1.0) AS score FROM chunks
       WHERE chunks MATCH ? ORDER BY bm25(chunks, 2.0, 1.0) LIMIT ${MAX_CANDIDATES}`,
      expression,
    );
  }

  private findUnranked(expression: string): Candidate[] {
    const sql = `SELECT rowid AS id, 0.0 AS score FROM chunks WHERE chunks MATCH ? LIMIT ${MAX_CANDIDATES}`;
    return this.read(sql, expression);
  }

  /** Reads texts only of the best: an excerpt costs more than the search. */
  private read(best: string, expression: string): Candidate[] {
    const found = this.database.prepare(best).all(expression) as { id: number; score: number }[];
    const sql = `
      SELECT chunks.rowid AS id, documents.path, body, snippet(chunks, 1, char(1), '', '', 60) AS excerpt
      FROM chunks JOIN documents ON documents.id = chunks.rowid / ${ROWIDS_PER_DOCUMENT}
      WHERE chunks MATCH ? AND chunks.rowid = ?`;
    const statement = this.database.prepare(sql);
    return found.map(({ id, score }) => ({ ...(statement.get(expression, id) as Candidate), score }));
  }

  private countTerms(terms: readonly string[], candidates: readonly Candidate[]): Map<number, number> {
    const counts = new Map<number, number>();
    const statement = this.database.prepare('SELECT 1 FROM chunks WHERE chunks MATCH ? AND rowid = ?');
    for (const expression of terms.map((term) => toMatchExpression([term]))) {
      for (const { id } of candidates) {
        if (statement.get(expression, id)) counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    return counts;
  }
}

/** bm25 alone is not a percentage: it is near zero in small collections and has no upper end in large ones. */
function relevanceOf({ score }: Candidate, found: number, wanted: number): number {
  return 100 * (0.75 * (found / wanted) + 0.25 * (1 - Math.exp(-Math.max(0, score))));
}

/** The part of the passage around the first word found. */
function excerptOf({ body, excerpt }: Candidate): string {
  const whole = toLine(body);
  if (whole.length <= MAX_CONTENT_LENGTH) return whole;
  const found = excerpt.indexOf(FOUND_MARK);
  const start = found > MAX_CONTENT_LENGTH / 2 ? found - MAX_CONTENT_LENGTH / 4 : 0;
  const shown = Array.from(toLine(excerpt.slice(start).replaceAll(FOUND_MARK, '')));
  return `${shown.slice(0, MAX_CONTENT_LENGTH).join('').trim()}...`;
}

function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}
