import type { Mutant } from './mutant.js';

const feed = 'apps/gateway/feeds/feed.ts';
const feeds = 'apps/gateway/feeds/feeds.ts';
const audience = 'apps/gateway/feeds/audience.ts';

export const FEEDS: Mutant[] = [
  {
    name: 'a silent feed is not checked',
    edit: { file: feeds, find: 'for (const { feed } of this.entries.values()) feed.watch();', replace: '' },
  },
  {
    name: 'viewers do not receive what a read of the store has found',
    edit: { file: feed, find: 'if (isBehind(before, view)) {', replace: 'if (view === before) {' },
  },
  {
    name: 'the backlog of a slow viewer is dropped',
    edit: { file: audience, find: 'for (const event of backlog.list()) viewer.send(event);', replace: '' },
    search: { from: 31 },
  },
  {
    name: 'a slow viewer has no backlog',
    edit: {
      file: audience,
      find: 'for (const backlog of this.lagging.values()) this.delay(backlog, event);',
      replace: '',
    },
    search: { from: 31 },
  },
  {
    name: 'calls that continue after a Stop are not awaited',
    edit: {
      file: feed,
      find: 'return isEnded(turn) && turn.steps.every(',
      replace: 'return isEnded(turn) || turn.steps.every(',
    },
  },
  {
    name: 'a new viewer is sent no snapshot',
    edit: {
      file: audience,
      find: 'viewer.send(this.snapshotOf(this.currentView()));',
      replace: '',
    },
  },
  {
    name: 'text is numbered in bytes',
    edit: {
      file: 'apps/orchestrator/step/token-stream.ts',
      find: 'this.sent = until;',
      replace: 'this.sent = Buffer.byteLength(this.whole.slice(0, until));',
    },
  },
  {
    name: 'a pair of surrogates is sent in two pieces',
    edit: {
      file: 'apps/orchestrator/step/token-stream.ts',
      find: 'this.send(length > 0 && isHighSurrogate(this.whole.charCodeAt(length - 1)) ? length - 1 : length);',
      replace: 'this.send(length);',
    },
  },
  {
    name: 'a viewer receives the snapshot and nothing after it',
    edit: {
      file: 'apps/gateway/feeds/audience.ts',
      find: 'if (this.ready.has(viewer)) return;',
      replace: 'return;',
    },
  },
];
