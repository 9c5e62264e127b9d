import { describe, expect, it } from '@jest/globals';
import type { Definition } from '#contracts';
import { judgeDefinition, predecessorOf, type Judged } from './judge-definition.js';
import { announcedTool, announcedToolset } from './testing/toolsets.js';

const WITH = { type: 'object', properties: { to: { type: 'string' } } };
const WITHOUT = { type: 'object', properties: {} };

function judge(version: string, input_schema: object, known: Definition[] = []): Judged {
  const tool = { ...announcedTool('mail', 'send'), input_schema: { ...input_schema } };
  const toolset = announcedToolset('mail', [tool], version);
  return judgeDefinition(toolset, tool, predecessorOf(toolset, tool, known));
}

function row(version: string, input_schema: object, change: Partial<Definition> = {}): Definition {
  const at = '2026-11-01T00:00:00.000Z';
  return { ...judge(version, input_schema), at, state: 'accepted', ...change };
}

describe('a new definition of a tool', () => {
  it('breaks an older one of its major version, or one of the same version', () => {
    const breaks = ['input to was removed'];
    expect(judge('1.1.0', WITHOUT, [row('1.0.0', WITH)])).toMatchObject({ breaks, breaks_version: '1.0.0' });
    expect(judge('1.0.0', WITHOUT, [row('1.0.0', WITH)])).toMatchObject({ breaks, breaks_version: '1.0.0' });
  });

  it('is compared with the newest accepted one that is not newer, of two of one version with the later one', () => {
    const known = [row('1.0.0', WITH), row('1.1.0', WITHOUT), row('1.3.0', WITH)];
    expect(judge('1.2.0', WITHOUT, known).breaks).toEqual([]);
    expect(judge('1.4.0', WITHOUT, known)).toMatchObject({ breaks_version: '1.3.0' });
    const later = row('1.3.0', WITHOUT, { at: '2026-11-02T00:00:00.000Z' });
    expect(judge('1.4.0', WITHOUT, [later, ...known]).breaks).toEqual([]);
    expect(
      judge('1.4.0', WITHOUT, [row('1.3.0', WITH, { state: 'pending' }), ...known.slice(0, 2)]).breaks,
    ).toEqual([]);
  });

  it('breaks nothing as the first one, in a new major version, or of an older worker', () => {
    expect(judge('1.0.0', WITHOUT)).toMatchObject({ tool: 'mail.send', version: '1.0.0', breaks: [] });
    expect(judge('1.0.0', WITHOUT)).not.toHaveProperty('breaks_version');
    expect(judge('2.0.0', WITHOUT, [row('1.0.0', WITH)]).breaks).toEqual([]);
    expect(judge('1.0.0', WITHOUT, [row('1.1.0', WITH)]).breaks).toEqual([]);
    expect(judge('1.1.0', WITHOUT, [row('1.0.0', WITH, { tool: 'mail.other' })]).breaks).toEqual([]);
  });
});
