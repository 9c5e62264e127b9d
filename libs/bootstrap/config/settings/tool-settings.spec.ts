import { describe, expect, it } from '@jest/globals';
import { settingsFileSchema, toSettings } from '../settings-file.js';
import { approvalOfTool, settingsOfTool } from './tool-settings.js';

describe('settingsOfTool', () => {
  const tools = new Map([
    ['math', { class: 'read' as const, timeoutMs: 1_000, concurrency: 2, outputBytes: 4_096 }],
    ['math.add', { timeoutMs: 5 }],
  ]);

  it('uses the tool’s own settings first, then its toolset’s', () => {
    expect(settingsOfTool(tools, 'math.add')).toEqual({ class: 'read', timeoutMs: 5, outputBytes: 4_096 });
    expect(settingsOfTool(tools, 'math.other')).toEqual({
      class: 'read',
      timeoutMs: 1_000,
      outputBytes: 4_096,
    });
    expect(settingsOfTool(tools, 'files.read')).toEqual({});
  });
});

describe('approvalOfTool', () => {
  const settings = toSettings(
    settingsFileSchema.parse({
      approve: { once: 'always', keyed: 'first' },
      tools: { mail: { approve: 'first' }, 'mail.draft': { approve: 'never' }, files: { class: 'once' } },
    }),
  );
  const modeOf = (name: string, toolClass: 'once' | 'keyed' | 'read') =>
    approvalOfTool(settings, { name, class: toolClass });

  it('uses the tool’s own setting, else its toolset’s, else its class’s, else never', () => {
    expect(modeOf('mail.draft', 'once')).toBe('never');
    expect(modeOf('mail.send', 'once')).toBe('first');
    expect(modeOf('files.delete', 'once')).toBe('always');
    expect(modeOf('files.put', 'keyed')).toBe('first');
    expect(modeOf('files.get', 'read')).toBe('never');
  });

  it('reads true as always and false as never', () => {
    const { tools } = toSettings(
      settingsFileSchema.parse({ tools: { a: { approve: true }, b: { approve: false } } }),
    );
    expect([tools.get('a')?.approve, tools.get('b')?.approve]).toEqual(['always', 'never']);
  });
});
