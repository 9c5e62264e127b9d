import type { Mutant } from './mutant.js';

const deletion = 'libs/journal/delete-conversation.ts';

export const DELETE: Mutant[] = [
  {
    name: 'a deleted conversation is never due for removal',
    edit: { file: deletion, find: 'toISOString(), due_at: now }', replace: 'toISOString() }' },
  },
  {
    name: 'the title of a deleted conversation stays',
    edit: { file: deletion, find: "if (title !== '') await store", replace: "if (title === '') await store" },
  },
  {
    name: 'deleted conversations are not swept',
    edit: {
      file: 'apps/orchestrator/sweep/create-sweeper.ts',
      find: 'new DeletedConversations(ports, settings.retentionDays),',
      replace: '',
    },
  },
  {
    name: 'who deletes again is not waited for',
    edit: {
      file: 'apps/gateway/turns/conversations.ts',
      find: 'if (deleted_at === undefined) await markDeleted(this.ports, id);',
      replace: 'if (deleted_at !== undefined) throw notFound();\n    await markDeleted(this.ports, id);',
    },
    search: { from: 171 },
  },
];
