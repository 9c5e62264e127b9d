import type { InputResponseView } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { idSchema, toolCallIdSchema } from '#contracts';

/**
 * The state that a client returns with an answer: which call asked. It grants nothing: the owner of the turn is checked
 * as for any other request, and an answer is given once.
 */
const questionSchema = z.object({
  turn_id: idSchema,
  tool_call_id: toolCallIdSchema,
  asks: z.enum(['approval', 'input']),
  /** Of an `input`: which question of the call. */
  number: z.int().min(1).optional(),
});
export type Question = z.infer<typeof questionSchema>;

export type QuestionAnswer =
  | { does: 'approve' | 'deny' }
  | { does: 'input'; action: 'accept'; content: Record<string, unknown> }
  | { does: 'input'; action: 'decline' }
  /** There was no answer: the question is asked again. */
  | { does: 'nothing' };

/** Undefined for a new call, and for a foreign state. */
export function toQuestion(state: unknown): Question | undefined {
  if (typeof state !== 'string') return undefined;
  try {
    return questionSchema.safeParse(JSON.parse(state)).data;
  } catch {
    return undefined;
  }
}

export function toAnswer({ asks }: Question, response: InputResponseView): QuestionAnswer {
  if (response.kind !== 'elicit' || response.action === 'cancel') return { does: 'nothing' };
  const { action, content = {} } = response;
  if (asks === 'approval')
    return { does: action === 'accept' && content.approve === true ? 'approve' : 'deny' };
  return action === 'accept' ? { does: 'input', action, content } : { does: 'input', action };
}
