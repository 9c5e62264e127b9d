import { HttpError, listTools, type ListedTool } from '../connection/http.js';
import { Observable } from '../state/observable.js';

export interface ListedToolset {
  name: string;
  source: ListedTool['source'];
  tools: ListedTool[];
}

export interface ToolListState {
  /** By name; absent until read. */
  toolsets?: ListedToolset[];
  problem?: string;
}

/** The tools that the workers offered when it was read. */
export class ToolList {
  readonly state = new Observable<ToolListState>({});
  private text: string | undefined;

  async read(): Promise<void> {
    try {
      const { tools } = await listTools();
      // Read repeatedly: an unchanged list is not rendered again.
      const text = JSON.stringify(tools);
      if (text === this.text && this.state.get().problem === undefined) return;
      this.text = text;
      this.state.set({ toolsets: groupByToolset(tools) });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.state.set({ ...this.state.get(), problem: error.message });
    }
  }
}

function groupByToolset(tools: ListedTool[]): ListedToolset[] {
  const toolsets = new Map<string, ListedToolset>();
  for (const tool of tools) {
    const toolset = toolsets.get(tool.toolset) ?? { name: tool.toolset, source: tool.source, tools: [] };
    toolset.tools.push(tool);
    toolsets.set(tool.toolset, toolset);
  }
  return [...toolsets.values()].sort((a, b) => a.name.localeCompare(b.name));
}
