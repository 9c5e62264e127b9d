import type { Block } from '#contracts';
import { keyOf, type Draft } from './sent-artifact.js';
import { BIBLIOGRAPHY_TYPE, mergeBibliographies } from './bibliography.js';
import { pieceOf, piecesOf, type CallYield, type Piece } from './collected.js';
import { GRAPH_TYPE } from './knowledge-graph.js';

/** A segment of the sent answer. */
export type Part = { text: string } | { artifact: Draft };

export interface TurnAnswer {
  /** The text of the last step. */
  blocks: readonly Block[];
  /** In the order of the calls. */
  yields: readonly CallYield[];
}

/** The needed part of the user's artifacts, for the duration of the turn; it is not sent back. */
export interface Pinned {
  /** Of the drafts. */
  keys: readonly string[];
  /** As JSON, because they are parsed only when there is something to merge with them. */
  graphs: readonly string[];
}

/** Of graphs as JSON the merged one. */
type MergeGraphs = (graphs: readonly string[]) => Promise<string>;

type Segment = { text: string } | Piece;

/**
 * The answer in sending order: its own segments, then the artifacts of the calls. Graphs become one artifact, and so do
 * references, at the position of the first. Equal artifacts are sent once.
 */
export async function answerParts(
  { blocks, yields }: TurnAnswer,
  pinned: Pinned,
  merge: MergeGraphs,
): Promise<Part[]> {
  const own = blocks.flatMap(segmentOf);
  const collected = yields.flatMap(piecesOf);
  const graph = await wholeGraph({ own, collected }, pinned, merge);
  const references = wholeBibliography({ own, collected });
  const sent = new Set(pinned.keys);
  const parts: Part[] = [];
  const wholes = { graph, references };
  for (const segment of [...own, ...collected]) {
    if ('text' in segment) {
      parts.push(segment);
      continue;
    }
    const artifact = takeDraft(segment, wholes);
    if (!artifact || sent.has(keyOf(artifact))) continue;
    sent.add(keyOf(artifact));
    parts.push({ artifact });
  }
  return parts;
}

/** Only the first part of a merged artifact has a draft. */
function takeDraft(piece: Piece, wholes: { graph?: Draft; references?: Draft }): Draft | undefined {
  if ('draft' in piece) return piece.draft;
  const name = 'graph' in piece ? 'graph' : 'references';
  const whole = wholes[name];
  wholes[name] = undefined;
  return whole;
}

function segmentOf(block: Block): Segment[] {
  if (block.type !== 'text') return [];
  if (block.artifact) return [pieceOf(block.artifact)];
  return block.text.trim() === '' ? [] : [{ text: block.text }];
}

interface Segments {
  own: Segment[];
  collected: Piece[];
}

/** The pinned one first, then those of the calls, then the model's. */
async function wholeGraph(
  { own, collected }: Segments,
  pinned: Pinned,
  merge: MergeGraphs,
): Promise<Draft | undefined> {
  const found = [...collected, ...own].flatMap((segment) =>
    'graph' in segment ? [JSON.stringify(segment.graph)] : [],
  );
  if (found.length === 0) return undefined;
  const content = await merge([...pinned.graphs, ...found]);
  return { type: GRAPH_TYPE, title: 'Knowledge Graph', content };
}

function wholeBibliography({ own, collected }: Segments): Draft | undefined {
  const found = [...collected, ...own].flatMap((segment) =>
    'references' in segment ? [segment.references] : [],
  );
  if (found.length === 0) return undefined;
  const content = JSON.stringify(mergeBibliographies(found));
  return { type: BIBLIOGRAPHY_TYPE, title: 'Bibliography', content };
}
