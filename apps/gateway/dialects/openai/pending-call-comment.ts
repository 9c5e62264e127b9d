import type { CallView } from '#contracts';

/** Clients skip comments. In the raw stream, they show what the turn waits for and where to answer it. */
export function pendingCallComment(turnId: string, { tool_call_id, state }: CallView): string {
  const what = state === 'awaiting_approval' ? 'approval' : 'input';
  return `: waits for ${what}: POST /api/turns/${turnId}/calls/${tool_call_id}/${what}\n\n`;
}
