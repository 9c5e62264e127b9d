import { describe, expect, it } from '@jest/globals';
import { settingsFileSchema, toSettings } from '../settings-file.js';
import { approvalOfTool, approverRoles, namedRoles, settingsOfTool } from './tool-settings.js';

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
      tools: {
        mail: { approve: 'first', approve_for: { chief: 'never', clerk: 'always' } },
        'mail.draft': { approve: 'never' },
        files: { class: 'once', roles: ['clerk', 'archivist'] },
        'files.burn': { roles: ['chief'] },
        shop: { approvers: ['auditor'] },
        'shop.look': { approve: 'never' },
      },
    }),
  );
  const modeOf = (name: string, toolClass: 'once' | 'keyed' | 'read', roles: string[] = []) =>
    approvalOfTool(settings, { name, class: toolClass }, roles);

  it('uses the tool’s own setting, else its toolset’s, else its class’s, else never', () => {
    expect(modeOf('mail.draft', 'once')).toBe('never');
    expect(modeOf('mail.send', 'once')).toBe('first');
    expect(modeOf('files.delete', 'once')).toBe('always');
    expect(modeOf('files.put', 'keyed')).toBe('first');
    expect(modeOf('files.get', 'read')).toBe('never');
  });

  it('uses what it says for the first of its roles that the user has', () => {
    expect(modeOf('mail.send', 'once', ['clerk'])).toBe('always');
    expect(modeOf('mail.send', 'once', ['clerk', 'chief'])).toBe('never');
    expect(modeOf('mail.send', 'once', ['guest'])).toBe('first');
  });

  it('the roles of a tool are its own, else its toolset’s', () => {
    const rolesOf = (name: string) => settingsOfTool(settings.tools, name).roles;
    expect([rolesOf('files.get'), rolesOf('files.burn'), rolesOf('mail.send')]).toEqual([
      ['clerk', 'archivist'],
      ['chief'],
      undefined,
    ]);
    expect([...namedRoles(settings)].sort()).toEqual(['archivist', 'auditor', 'chief', 'clerk']);
  });

  it('always asks the approvers of a tool that says nothing else', () => {
    expect([modeOf('shop.buy', 'read'), modeOf('shop.look', 'once')]).toEqual(['always', 'never']);
    expect(settingsOfTool(settings.tools, 'shop.buy').approvers).toEqual(['auditor']);
    expect([...approverRoles(settings)]).toEqual(['auditor']);
  });

  it('reads true as always and false as never', () => {
    const { tools } = toSettings(
      settingsFileSchema.parse({ tools: { a: { approve: true }, b: { approve: false } } }),
    );
    expect([tools.get('a')?.approve, tools.get('b')?.approve]).toEqual(['always', 'never']);
  });
});
