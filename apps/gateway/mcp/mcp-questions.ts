import type { InputResponseView } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { idSchema, toolCallIdSchema } from '#contracts';

/**
 * What a client brings back with an answer: which call asked. It decides nothing: whose turn it is is checked as for
 * any other request, and an answer is given once.
 */
const questionSchema = z.object({
  turn_id: idSchema,
  tool_call_id: toolCallIdSchema,
  asks: z.enum(['approval', 'input']),
});
export type Question = z.infer<typeof questionSchema>;

export type QuestionAnswer =
  | { does: 'approve' | 'deny' }
  | { does: 'input'; content: Record<string, unknown> }
  /** Nobody said anything: the question is put again. */
  | { does: 'nothing' };

/** Undefined for a call that is new, and for a state that is none of ours. */
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
  return action === 'accept' ? { does: 'input', content } : { does: 'nothing' };
}
