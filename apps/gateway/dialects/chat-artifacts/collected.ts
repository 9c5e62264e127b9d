import { isObject } from '#contracts';
import type { Draft } from './sent-artifact.js';
import { BIBLIOGRAPHY_TYPE, readBibliography } from './bibliography.js';
import type { JsonObject } from './json-value.js';
import { isGraphType, readGraph, type KnowledgeGraph } from './knowledge-graph.js';

/** The output of one call: its full result, and its pictures. */
export interface CallYield {
  data: Record<string, unknown> | null;
  images: { type: string; title: string; base64: string }[];
}

/** The outputs that become one artifact each; graphs and references of a turn become one together. */
export type Piece = { draft: Draft } | { graph: KnowledgeGraph } | { references: unknown[] };

/** In the order of the result. */
export function piecesOf({ data, images }: CallYield): Piece[] {
  const sources = [data, data?.structured].filter(isObject);
  return [...sources.flatMap(piecesOfSource), ...images.map(pieceOfImage)];
}

/** An artifact of whatever type: graphs and references are read, or sent as what they are. */
export function pieceOf(draft: Draft): Piece {
  if (isGraphType(draft.type)) {
    const graph = readGraph(draft.content);
    return graph ? { graph } : { draft: { ...draft, type: 'application/json' } };
  }
  if (draft.type === BIBLIOGRAPHY_TYPE) {
    const references = readBibliography(draft.content);
    if (references) return { references };
  }
  return { draft };
}

function piecesOfSource(source: JsonObject): Piece[] {
  const { artifacts, bibliography, binaryOutput, grantMarkdown } = source;
  const given = (Array.isArray(artifacts) ? (artifacts as unknown[]) : []).flatMap(draftOf).map(pieceOf);
  const references = readBibliography(typeof bibliography === 'string' ? undefined : bibliography);
  return [
    ...given,
    ...(references && references.length > 0 ? [{ references }] : []),
    ...binaryDrafts(binaryOutput).map((draft) => ({ draft })),
    ...grantDrafts(grantMarkdown).map((draft) => ({ draft })),
  ];
}

/** Results may also name artifacts by their ids; those are stored elsewhere. */
function draftOf(value: unknown): Draft[] {
  if (!isObject(value) || typeof value.type !== 'string') return [];
  const { type, title, content, language, metadata } = value;
  if (content === undefined || content === null) return [];
  return [
    {
      type,
      title: typeof title === 'string' && title.trim() !== '' ? title : 'Untitled',
      content: typeof content === 'string' ? content : JSON.stringify(content),
      ...(typeof language === 'string' ? { language } : {}),
      ...(isObject(metadata) ? { metadata } : {}),
    },
  ];
}

function binaryDrafts(output: unknown): Draft[] {
  if (!isObject(output) || typeof output.data !== 'string' || output.data === '') return [];
  const type = typeof output.type === 'string' ? output.type : 'image/png';
  const { sourceCode, ...metadata } = isObject(output.metadata) ? output.metadata : {};
  const kind = type.split('/').at(-1)!.toUpperCase();
  const picture: Draft = {
    type,
    title: `Generated ${kind}`,
    content: output.data.replace(/^data:[^,]*,/, ''),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  if (typeof sourceCode !== 'string' || sourceCode === '') return [picture];
  const source = { type: 'application/vnd.ant.python', title: 'Source Code', content: sourceCode };
  return [picture, { ...source, language: 'python' }];
}

function grantDrafts(markdown: unknown): Draft[] {
  if (typeof markdown !== 'string' || markdown.trim() === '') return [];
  return [{ type: 'text/markdown', title: 'Grant', content: markdown }];
}

function pieceOfImage({ type, title, base64 }: CallYield['images'][number]): Piece {
  return { draft: { type, title, content: base64 } };
}
