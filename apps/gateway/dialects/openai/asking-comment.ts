import type { CallView } from '#contracts';

/** Clients skip comments; who looks at the stream reads what it waits for and where that is answered. */
export function askingComment(turnId: string, { tool_call_id, state }: CallView): string {
  const what = state === 'awaiting_approval' ? 'approval' : 'input';
  return `: waits for ${what}: POST /api/turns/${turnId}/calls/${tool_call_id}/${what}\n\n`;
}
