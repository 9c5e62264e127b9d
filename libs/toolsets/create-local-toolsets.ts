import type { Clock } from '#time';
import type { ToolsetHost } from '#tools';
import { createArtifactsToolset, type ArtifactReader } from './artifacts.js';
import { createHttpToolset, type HttpOptions } from './http.js';
import { createKnowledgeToolset, type KnowledgeOptions } from './knowledge.js';
import { createMathToolset } from './math.js';
import { createMemoryToolset, type FactStore } from './memory.js';
import { createTimeToolset } from './time.js';
import { createWebToolset } from './web.js';

export interface LocalToolsetsOptions extends KnowledgeOptions {
  clock: Clock;
  http?: Omit<HttpOptions, 'clock'>;
  /** Without it, there is no `memory` toolset. */
  facts?: FactStore;
  /** Absent: artifacts are not stored, so there is nothing to read. */
  artifacts?: ArtifactReader;
}

/** `math`, `knowledge`, `web`, `http`, `time`, and also `memory` and `artifacts` where these are stored. */
export function createLocalToolsets(options: LocalToolsetsOptions): ToolsetHost[] {
  const { clock, http, facts, artifacts, ...knowledge } = options;
  return [
    createMathToolset(),
    createKnowledgeToolset(knowledge),
    createWebToolset({ clock }),
    createHttpToolset({ ...http, clock }),
    createTimeToolset(clock),
    ...(facts ? [createMemoryToolset(facts, clock)] : []),
    ...(artifacts ? [createArtifactsToolset(artifacts, clock)] : []),
  ];
}
