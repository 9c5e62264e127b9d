/** Every span about a turn has them. */
export function turnAttributes(turn: { turn_id: string; conversation_id: string }) {
  return { 'switchyard.turn.id': turn.turn_id, 'gen_ai.conversation.id': turn.conversation_id };
}
