import type { Mutant } from './mutant.js';

const deletion = 'libs/journal/delete-conversation.ts';

export const DELETE: Mutant[] = [
  {
    name: 'nobody is to look at what was marked',
    edit: { file: deletion, find: 'toISOString(), due_at: now }', replace: 'toISOString() }' },
    search: { from: 9, seeds: 20 },
  },
  {
    name: 'the title stays',
    edit: { file: deletion, find: "if (title !== '') await store", replace: "if (title === '') await store" },
    search: { from: 5, seeds: 20 },
  },
  {
    name: 'nobody sweeps what was deleted',
    edit: {
      file: 'apps/orchestrator/sweep/create-sweeper.ts',
      find: 'new DeletedConversations(ports, settings.retentionDays),',
      replace: '',
    },
    search: { from: 4, seeds: 20 },
  },
];
