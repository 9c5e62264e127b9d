import { LRUCache } from 'lru-cache';
import type { CatalogTool } from '#contracts';
import type { Log } from '#journal';
import { describeSchemaLosses } from '#llm';
import { toModelName } from '#tools';

/** More tools than any catalogue has. Beyond that, a loss is logged again. */
const MAX_REPORTED = 10_000;

/**
 * Tells operators, once for each definition of a tool, which parts of its input schema a configured provider cannot
 * express. The model reads these parts in the description, but nothing enforces them before the arguments are checked.
 */
export class SchemaLosses {
  // Not `max`: its storage is allocated at once, at every start.
  private readonly reported = new LRUCache<string, true>({ maxSize: MAX_REPORTED, sizeCalculation: () => 1 });

  constructor(
    private readonly log: Pick<Log, 'warn'>,
    private readonly providers: readonly string[],
  ) {}

  /** Call this after every change of the catalogue. */
  check(tools: readonly CatalogTool[]): void {
    for (const tool of tools) for (const provider of this.providers) this.checkTool(tool, provider);
  }

  private checkTool(tool: CatalogTool, provider: string): void {
    const key = `${provider} ${tool.name} ${tool.hash}`;
    if (this.reported.has(key)) return;
    this.reported.set(key, true);
    const { description, input_schema } = tool;
    const losses = describeSchemaLosses(
      { name: toModelName(tool.name), description, input_schema },
      provider,
    );
    if (losses.length === 0) return;
    const keywords = [...new Set(losses.map(({ keyword }) => keyword))];
    const paths = losses.map(({ path, keyword }) => `${path || '/'}: ${keyword}`);
    this.log.warn(
      { tool: tool.name, provider, keywords, paths },
      'provider cannot express the whole input schema, the rest is in the description',
    );
  }
}
