import type { ToolsetHost } from '../tool.port.js';
import { createArtifactsToolset, type ArtifactReader } from './artifacts.js';
import { createKnowledgeToolset, type KnowledgeOptions } from './knowledge.js';
import { createMathToolset } from './math.js';
import { createWebToolset, type WebOptions } from './web.js';

export interface LocalToolsetsOptions extends KnowledgeOptions {
  web?: WebOptions;
  /** Absent: nothing keeps artifacts, so there is nothing to read. */
  artifacts?: ArtifactReader;
}

/** `math`, `knowledge`, `web`, and `artifacts` where they are kept. */
export function createLocalToolsets({
  web,
  artifacts,
  ...knowledge
}: LocalToolsetsOptions = {}): ToolsetHost[] {
  const toolsets = [createMathToolset(), createKnowledgeToolset(knowledge), createWebToolset(web)];
  return artifacts ? [...toolsets, createArtifactsToolset(artifacts)] : toolsets;
}
