import type { Block, Usage } from '#contracts';
import { providerSafeName } from '#llm';
import { addUsage, NO_USAGE, stepAttempt } from '#turn';
import type { AskedCall, AskEnd, StepPart } from './step-part.js';

/**
 * The result of the parts of a step. `model` and `attempt` are those of the last attempt, whose tokens viewers have;
 * `usage` is that of all attempts.
 */
export type ModelAnswer = Draft & AskEnd;
export type WholeAnswer = Extract<ModelAnswer, { ended: 'answered' }>;
export type FailedAnswer = Extract<ModelAnswer, { ended: 'failed' }>;

export type PartListener = (part: StepPart) => void;

interface Draft {
  model: string;
  attempt: number;
  blocks: Block[];
  asked: AskedCall[];
  usage: Usage;
}

/** Reads all parts. Listeners receive each part before the next one is requested. */
export async function readParts(
  parts: AsyncIterable<StepPart>,
  listeners: readonly PartListener[],
): Promise<ModelAnswer> {
  const draft: Draft = { model: '', attempt: 0, blocks: [], asked: [], usage: NO_USAGE };
  for await (const part of parts) {
    for (const listen of listeners) listen(part);
    if (part.type === 'end') {
      const { type: _end, ...end } = part;
      return { ...draft, ...end };
    }
    if (part.type === 'refused')
      return { ...draft, attempt: part.attempt, ended: 'failed', error: part.error };
    add(part, draft);
  }
  throw new Error('the parts of a step ended without an end part');
}

/** The number of attempts at the step, including the one that has just ended. */
export function retriesUpTo({ attempt }: Pick<ModelAnswer, 'attempt'>, claimAttempt: number): number {
  return attempt - stepAttempt(claimAttempt, 0) + 1;
}

function add(part: Exclude<StepPart, { type: 'end' | 'refused' }>, draft: Draft): void {
  switch (part.type) {
    case 'attempt':
      draft.model = part.model;
      draft.attempt = part.attempt;
      draft.blocks = [];
      draft.asked = [];
      return;
    case 'text':
      return addText(part.text, draft.blocks);
    case 'thinking_end':
      draft.blocks.push(part.block);
      return;
    case 'call': {
      const { tool_call_id, name, arguments: args = {} } = part.call;
      draft.asked.push(part.call);
      draft.blocks.push({ type: 'tool_use', tool_call_id, name: providerSafeName(name), arguments: args });
      return;
    }
    case 'usage':
      draft.usage = addUsage(draft.usage, part.usage);
      return;
    case 'thinking':
    case 'waiting':
    case 'retry':
    case 'fallback':
  }
}

function addText(text: string, blocks: Block[]): void {
  if (text === '') return;
  const last = blocks.at(-1);
  if (last?.type === 'text') last.text += text;
  else blocks.push({ type: 'text', text });
}
