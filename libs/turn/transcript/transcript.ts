import type { ArtifactReference, Block, Call, Journal, Outcome, Step, Turn } from '#contracts';
import { IMAGE_TYPES, outputNote, plainText } from '#contracts';
import { isReplaced } from '../rules/formatter-rules.js';
import { endingStep } from '../journal/journal.js';
import type { ImageReference, ModelMessage, UserContent } from './model-message.js';
import { compactionOf } from './compaction.js';

const STOPPED_NOTE = '[The user stopped the previous answer before it was complete.]';
const FAILED_NOTE = '[The previous answer broke off because of an error.]';
const CANCELLED_TEXT = 'Cancelled: The turn ended before this call was answered.';

/**
 * A turn as the model reads it: the user's message, then steps and results in order. The same rows give the same
 * messages in every process: a call of a stopped or failed turn without a later model step reads as `Cancelled`,
 * whatever outcome comes later. A turn that has summarised its history begins with the summary. A turn that came with
 * its answer includes that answer, whether or not its step exists yet.
 */
export function messagesOfTurn(journal: Pick<Journal, 'turn' | 'steps' | 'outcomes'>): ModelMessage[] {
  const { turn, steps, outcomes } = journal;
  if (turn.options.answer !== undefined) return givenExchange(turn, turn.options.answer);
  const messages: ModelMessage[] = [];
  appendMessages(messages, [{ role: 'user', content: [...summaryBefore(steps), ...askedIn(turn)] }]);
  const outcomeOf = new Map(outcomes.map((outcome) => [outcome._id, outcome]));
  const lastModelStep = steps.findLast((step) => step.kind === 'model');
  const end = endingStep({ ...journal, claims: [], answers: [] });
  const isBroken = end !== undefined && end.kind !== 'model';
  for (const step of steps) {
    if (step.kind === 'summary' || isReplaced(step, steps)) continue;
    appendMessages(messages, [{ role: 'assistant', content: sendableBlocks(step) }]);
    const results = step.calls.map((call) =>
      isBroken && step === lastModelStep
        ? cancelledResult(call)
        : resultOf(call, outcomeOf.get(call.tool_call_id)),
    );
    appendMessages(messages, [{ role: 'user', content: results }]);
  }
  if (isBroken) appendMessages(messages, [{ role: 'user', content: [{ type: 'text', text: noteFor(end) }] }]);
  return messages;
}

function givenExchange(turn: Turn, text: string): ModelMessage[] {
  const asked: ModelMessage = { role: 'user', content: askedIn(turn) };
  return text.trim() === '' ? [asked] : [asked, { role: 'assistant', content: [{ type: 'text', text }] }];
}

function askedIn({ content, options }: Turn): UserContent[] {
  const context: UserContent[] = options.context ? [{ type: 'text', text: options.context }] : [];
  return [...context, { type: 'text', text: content }];
}

/**
 * Appends in place, so that a history grows without being copied: adjacent contents of one role merge (tool
 * results first), empty messages are dropped. The last message of `target` may be replaced, never mutated.
 */
export function appendMessages(target: ModelMessage[], messages: ModelMessage[]): void {
  for (const message of messages) {
    if (message.content.length === 0) continue;
    const last = target.at(-1);
    if (last?.role === 'user' && message.role === 'user') {
      target[target.length - 1] = {
        role: 'user',
        content: resultsFirst([...last.content, ...message.content]),
      };
    } else if (last?.role === 'assistant' && message.role === 'assistant') {
      target[target.length - 1] = { role: 'assistant', content: [...last.content, ...message.content] };
    } else {
      target.push(message);
    }
  }
}

/** Leaves out blank text, and thinking that the provider would not take back. No message may end in thinking. */
function sendableBlocks({ blocks, model }: Step): Block[] {
  const said = blocks.filter((block) => {
    if (block.type === 'text') return block.text.trim() !== '';
    if (block.type === 'thinking') return block.signature !== undefined || block.data !== undefined;
    return true;
  });
  // The code that builds a request needs this to know which model produced the thinking.
  const kept = said.map((block) =>
    block.type === 'thinking' && model !== undefined && block.model === undefined
      ? { ...block, model }
      : block,
  );
  return kept.slice(0, kept.findLastIndex((block) => block.type !== 'thinking') + 1);
}

function summaryBefore(steps: Step[]): UserContent[] {
  const compaction = compactionOf(steps);
  return compaction?.how === 'summarised' ? [{ type: 'text', text: compaction.text, summary: true }] : [];
}

function resultsFirst(content: UserContent[]): UserContent[] {
  const isResult = (item: UserContent) => item.type === 'tool_result';
  return [...content.filter(isResult), ...content.filter((item) => !isResult(item))];
}

function resultOf(call: Call, outcome: Outcome | undefined): UserContent {
  if (!outcome) return cancelledResult(call);
  const is_error = outcome.status === 'failure';
  // Providers accept no picture in a result that is an error.
  const images = is_error ? [] : imagesOf(outcome);
  return {
    type: 'tool_result',
    tool_call_id: call.tool_call_id,
    text: textWithArtifacts(outcome),
    is_error,
    ...(images.length > 0 ? { images } : {}),
  };
}

/** The text of the outcome, followed by the names of artifacts that the text does not name. */
function textWithArtifacts(outcome: Outcome): string {
  const text = plainText(outcome);
  const unnamed = (outcome.artifacts ?? []).filter(({ id }) => !text.includes(id));
  const note = outputNote(outcome);
  return [text, ...unnamed.map(nameArtifact), note && `[${note}]`].filter(Boolean).join('\n');
}

function nameArtifact({ id, content_type, size, name }: ArtifactReference): string {
  return `[artifact ${id}: ${[name, content_type, `${size} bytes`].filter(Boolean).join(', ')}]`;
}

function imagesOf({ artifacts = [] }: Outcome): ImageReference[] {
  return artifacts
    .filter(({ content_type }) => (IMAGE_TYPES as readonly string[]).includes(content_type))
    .map(({ id: artifact_id, content_type, size }) => ({ artifact_id, content_type, size }));
}

function cancelledResult(call: Call): UserContent {
  return { type: 'tool_result', tool_call_id: call.tool_call_id, text: CANCELLED_TEXT, is_error: true };
}

function noteFor(end: Step): string {
  return end.kind === 'cancel' ? STOPPED_NOTE : FAILED_NOTE;
}
