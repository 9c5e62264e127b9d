import type { ToolDefinition, Toolset } from '#contracts';
import { DEFAULT_CONCURRENCY, definitionHash, toBusName, type Tool, type ToolsetHost } from '#tools';
import type { ToolWorkerDeps } from '../tool-worker.deps.js';

/** As a worker announces it: always with a version. */
type VersionedDefinition = ToolDefinition & { version: string };

export interface HostedTool {
  tool: Tool;
  definition: VersionedDefinition;
  host: ToolsetHost;
  /** Absent: 32 KiB. */
  outputBytes?: number;
}

/** The tools this worker has right now, by bus name. */
export class HostedTools {
  private tools = new Map<string, HostedTool>();

  constructor(private readonly deps: Pick<ToolWorkerDeps, 'hosts' | 'overridesFor'>) {
    this.refresh();
  }

  find(toolName: string): HostedTool | undefined {
    return this.tools.get(toolName);
  }

  /** Also while the toolset's server is unreachable. */
  hosts(toolset: string): boolean {
    return this.deps.hosts.some(({ name }) => name === toolset);
  }

  /** Calls of a toolset that this worker runs at once. */
  concurrencyOf(toolset: string): number {
    const own = this.deps.hosts.find(({ name }) => name === toolset)?.concurrency;
    return this.deps.overridesFor(toolset).concurrency ?? own ?? DEFAULT_CONCURRENCY;
  }

  /** Reads every host again. The result is the content of `catalog.announce`. */
  refresh(): Toolset[] {
    const tools = new Map<string, HostedTool>();
    for (const host of this.deps.hosts) {
      for (const tool of host.tools()) {
        const definition = this.definitionOf(host, tool);
        const { outputBytes } = this.deps.overridesFor(definition.name);
        tools.set(definition.name, { tool, definition, host, outputBytes });
      }
    }
    this.tools = tools;
    return this.deps.hosts.map((host) => this.toolsetOf(host)).filter((toolset) => toolset.tools.length > 0);
  }

  private toolsetOf(host: ToolsetHost): Toolset {
    const { name, source, server, version, scope } = host;
    const own = [...this.tools.values()].filter((hosted) => hosted.host === host);
    const tools = own.map(({ definition }) => definition);
    const concurrency = this.concurrencyOf(name);
    const more = concurrency === DEFAULT_CONCURRENCY ? {} : { concurrency };
    return { name, source, server, version, scope, ...more, tools };
  }

  private definitionOf(host: ToolsetHost, { definition }: Tool): VersionedDefinition {
    const name = toBusName(host.server, definition.own_name);
    const overrides = this.deps.overridesFor(name);
    const described = {
      name,
      own_name: definition.own_name,
      description: definition.description,
      input_schema: definition.input_schema,
      ...(definition.output_schema && { output_schema: definition.output_schema }),
      class: overrides.class ?? definition.class,
      timeout_ms: overrides.timeoutMs ?? definition.timeout_ms,
      version: definition.version ?? host.version,
    };
    return { ...described, hash: definitionHash(described) };
  }
}
