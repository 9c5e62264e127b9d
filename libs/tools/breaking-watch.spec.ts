import { describe, expect, it } from '@jest/globals';
import { BreakingWatch } from './breaking-watch.js';
import { announcedTool, announcedToolset } from './testing/toolsets.js';

const WITH = { type: 'object', properties: { to: { type: 'string' } } };
const WITHOUT = { type: 'object', properties: {} };

const mail = (version: string, input_schema: object) =>
  announcedToolset(
    'mail',
    [
      {
        ...announcedTool('mail', 'send'),
        input_schema: { ...input_schema },
        hash: JSON.stringify([version, input_schema]),
      },
    ],
    version,
  );

describe('BreakingWatch', () => {
  it('names, once, what a definition breaks of an earlier one of its major version', () => {
    const watch = new BreakingWatch();
    expect(watch.note([mail('1.0.0', WITH)])).toEqual([]);
    const undeclared = {
      ...{ tool: 'mail.send', toolset: 'mail', version: '1.1.0', breaks_version: '1.0.0' },
      breaks: ['input to was removed'],
    };
    expect(watch.note([mail('1.1.0', WITHOUT)])).toEqual([undeclared]);
    // Both kinds of workers announce themselves in turn.
    expect(watch.note([mail('1.0.0', WITH), mail('1.1.0', WITHOUT)])).toEqual([]);
  });

  it('also within one version', () => {
    const watch = new BreakingWatch();
    watch.note([mail('1.0.0', WITH)]);
    expect(watch.note([mail('1.0.0', WITHOUT)])).toMatchObject([
      { version: '1.0.0', breaks_version: '1.0.0' },
    ]);
  });

  it('says nothing of a new major version, of a change that breaks nothing, and of an older worker', () => {
    const watch = new BreakingWatch();
    watch.note([mail('1.1.0', WITHOUT)]);
    expect(watch.note([mail('2.0.0', WITH)])).toEqual([]);
    expect(watch.note([mail('1.2.0', WITH)])).toEqual([]);
    expect(watch.note([mail('1.0.0', WITHOUT)])).toEqual([]);
    // The older worker is no measure for the next one.
    expect(watch.note([mail('1.3.0', WITH)])).toEqual([]);
    expect(watch.note([mail('2.1.0', WITHOUT)])).toHaveLength(1);
  });
});
