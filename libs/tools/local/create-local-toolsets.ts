import type { ToolsetHost } from '../tool.port.js';
import { createKnowledgeToolset, type KnowledgeOptions } from './knowledge.js';
import { createMathToolset } from './math.js';
import { createWebToolset, type WebOptions } from './web.js';

export interface LocalToolsetsOptions extends KnowledgeOptions {
  web?: WebOptions;
}

/** `math`, `knowledge` and `web`. */
export function createLocalToolsets({ web, ...knowledge }: LocalToolsetsOptions = {}): ToolsetHost[] {
  return [createMathToolset(), createKnowledgeToolset(knowledge), createWebToolset(web)];
}
