import type { Checked } from '#contracts';
import type { Missing, Store } from './port/store.port.js';

const SUBJECT = 'store';
const TEXTS: Record<Missing['kind'], Pick<Checked, 'level' | 'text' | 'mend'>> = {
  collection: {
    level: 'warning',
    text: 'it lacks the collection',
    mend: 'Start a process of this version: it creates it.',
  },
  unique_index: {
    level: 'error',
    text: 'it lacks the unique index on',
    mend: 'Start a process of this version: it creates it, or says which rows contradict it. Without it one decision could be made twice.',
  },
  index: {
    level: 'warning',
    text: 'it lacks the index on',
    mend: 'Start a process of this version: it creates it. Without it, queries are slow.',
  },
};

/** What is wrong with an open store. Changes nothing. */
export async function checkStore(
  store: Pick<Store, 'ping' | 'findMissing' | 'listConversationIds'>,
  where: string,
): Promise<Checked[]> {
  try {
    await store.ping();
    await store.listConversationIds({ after: '', limit: 1 });
    const missing = await store.findMissing();
    if (missing.length === 0)
      return [
        { subject: SUBJECT, level: 'ok', text: `${where} answers, and has every collection and index` },
      ];
    return missing.map(({ kind, name }) => ({
      subject: SUBJECT,
      ...TEXTS[kind],
      text: `${where}: ${TEXTS[kind].text} ${name}`,
    }));
  } catch (error) {
    return [{ subject: SUBJECT, level: 'error', text: (error as Error).message }];
  }
}
