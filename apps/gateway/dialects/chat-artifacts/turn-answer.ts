import { isObject, type ArtifactReference, type Journal, type Outcome } from '#contracts';
import { outcomeOf } from '#turn';
import type { TurnAnswer } from './answer-parts.js';
import type { CallYield } from './collected.js';
import { parseJson } from './json-value.js';

/** The largest number of bytes of call outputs in one answer, which is built in memory; the excess is left out. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Content of a call's artifact, base64. */
export type ReadContent = (id: string) => Promise<string>;

/** The answer of an ended turn with the outputs of its calls, in the order in which they were requested. */
export async function turnAnswer(
  journal: Pick<Journal, 'steps' | 'outcomes'>,
  read: ReadContent,
): Promise<TurnAnswer> {
  const calls = journal.steps.flatMap((step) => step.calls);
  const yields: CallYield[] = [];
  const room = { left: MAX_BYTES };
  for (const { tool_call_id } of calls) {
    const outcome = outcomeOf(journal, tool_call_id);
    if (outcome && outcome.status !== 'failure') yields.push(await yieldOf(outcome, room, read));
  }
  return { blocks: journal.steps.at(-1)?.blocks ?? [], yields };
}

interface Room {
  left: number;
}

async function yieldOf({ data, artifacts = [] }: Outcome, room: Room, read: ReadContent): Promise<CallYield> {
  const whole = artifacts.find(
    (reference) => reference.whole && reference.content_type === 'application/json',
  );
  const images = [];
  for (const image of artifacts.filter(isPicture)) {
    if (!take(room, image)) continue;
    const { id, content_type: type, name: title = 'Image' } = image;
    images.push({ type, title, base64: await read(id) });
  }
  return { data: whole && take(room, whole) ? await readWhole(whole.id, read) : data, images };
}

/** Whether it fits in addition to the previous outputs. */
function take(room: Room, { size }: ArtifactReference): boolean {
  if (size > room.left) return false;
  room.left -= size;
  return true;
}

function isPicture({ content_type, whole }: ArtifactReference): boolean {
  return !whole && content_type.startsWith('image/');
}

/** A result that is too long for its row is stored elsewhere in full. */
async function readWhole(id: string, read: ReadContent): Promise<CallYield['data']> {
  const value = parseJson(Buffer.from(await read(id), 'base64').toString());
  return isObject(value) ? value : null;
}
