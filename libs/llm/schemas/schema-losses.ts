import type { ModelTool } from '../port/model.port.js';
import type { SchemaLoss } from './json-schema.js';
import { toProviderTool } from './provider-tool.js';
import { TOOL_FORMS } from './tool-forms.js';

export interface SchemaLossOf extends SchemaLoss {
  /** Providers whose form cannot express it. */
  providers: string[];
}

/** What the forms of some providers cannot express of a tool's schema, each loss once. */
export function schemaLossesEverywhere(tool: ModelTool): SchemaLossOf[] {
  const found = new Map<string, SchemaLossOf>();
  for (const [provider, form] of Object.entries(TOOL_FORMS))
    for (const loss of toProviderTool(tool, form).losses) {
      const key = `${loss.path} ${loss.keyword}`;
      const known = found.get(key) ?? { ...loss, providers: [] };
      known.providers.push(provider);
      found.set(key, known);
    }
  return [...found.values()];
}
