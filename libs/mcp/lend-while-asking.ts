import type { Slot, ToolContext } from '#tools';

export type Asker = Pick<ToolContext, 'conversationId' | 'ask' | 'signal'>;

/** Whoever the call may ask; while a person thinks, its slot is another call's. */
export function lendWhileAsking(
  { conversationId, signal, ask }: Asker,
  slot: Slot,
  onAsking: () => void,
): Asker {
  return {
    conversationId,
    signal,
    ask: async (question, options) => {
      onAsking();
      slot.lend();
      try {
        return await ask(question, options);
      } finally {
        await slot.takeBack();
      }
    },
  };
}
