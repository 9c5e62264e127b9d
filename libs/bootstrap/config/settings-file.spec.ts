import { describe, expect, it } from '@jest/globals';
import { settingsOfTool } from './settings-file.js';

describe('settingsOfTool', () => {
  const tools = new Map([
    ['math', { class: 'read' as const, timeoutMs: 1_000, concurrency: 2 }],
    ['math.add', { timeoutMs: 5 }],
  ]);

  it('takes the tool’s own settings first, then its toolset’s', () => {
    expect(settingsOfTool(tools, 'math.add')).toEqual({ class: 'read', timeoutMs: 5 });
    expect(settingsOfTool(tools, 'math.other')).toEqual({ class: 'read', timeoutMs: 1_000 });
    expect(settingsOfTool(tools, 'files.read')).toEqual({});
  });
});
