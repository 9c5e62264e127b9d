import { settingsOfTool, type Settings } from '#bootstrap';
import type { ToolOverrides } from './tool-worker.deps.js';

/** The settings in `switchyard.json` for a toolset (`math`) or a tool (`math.add`). */
export function overridesFor(settings: Settings): (name: string) => ToolOverrides {
  return (name) =>
    name.includes('.') ? settingsOfTool(settings.tools, name) : (settings.tools.get(name) ?? {});
}
