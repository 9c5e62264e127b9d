import { z } from 'zod';
import type { CatalogTool } from '#contracts';
import type { Clock } from '#time';
import type { OfferedTools } from '../../catalogue/offered-tools.js';
import type { User } from '../../people/auth/user.js';
import type { Bindings } from '../../people/bindings.js';

export interface ToolOfServer {
  name: string;
  description: string;
}

/** A toolset; without `tools` when no living worker offers it. */
export interface Server {
  id: string;
  name: string;
  tools?: ToolOfServer[];
}

/** A server that was offered; `seen_at` (ms since epoch) may be a day old. */
const seenSchema = z.object({ id: z.string(), name: z.string(), seen_at: z.number() });
export const seenServersSchema = z.array(seenSchema);
type SeenServer = z.output<typeof seenSchema>;

const DAY_MS = 24 * 3_600_000;
const FORGOTTEN_AFTER_MS = 7 * DAY_MS;
/** Whose list it is: the deployment's, and no user's id is empty. */
const [DEPLOYMENT, KEY] = ['', 'servers'];

/**
 * The toolsets that clients may connect to: those that are offered, and those that were within a week. The latter are
 * in the store, so that a restart keeps those whose worker is away.
 */
export class Servers {
  private readonly seen = new Map<string, SeenServer>();

  constructor(
    private readonly offered: Pick<
      OfferedTools,
      'listAll' | 'listFor' | 'toolsetsFor' | 'onChange' | 'rollCalled'
    >,
    private readonly stored: Bindings<typeof seenServersSchema>,
    private readonly clock: Pick<Clock, 'wall'>,
  ) {
    offered.onChange(() => this.note());
  }

  /** By id: those that the user may use. */
  async list(user: User): Promise<Server[]> {
    await this.offered.rollCalled();
    this.note();
    const [tools, mayUse] = await Promise.all([this.offered.listFor(user), this.offered.toolsetsFor(user)]);
    const live = serversOf(tools);
    const away = (await this.remember()).filter(({ id }) => !live.has(id) && mayUse(id));
    const all: Server[] = [...live.values(), ...away.map(({ id, name }) => ({ id, name }))];
    return all.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** A server that is, or was, offered. */
  async find(user: User, id: string): Promise<Server | undefined> {
    return (await this.list(user)).find((server) => server.id === id);
  }

  /** A server that a living worker offers. */
  async findLive(user: User, id: string): Promise<Required<Server> | undefined> {
    const live = serversOf(await this.offered.listFor(user)).get(id);
    if (live) return live;
    // Right after the start of this process, no worker may have answered yet.
    await this.offered.rollCalled();
    return serversOf(await this.offered.listFor(user)).get(id);
  }

  private note(): void {
    const seen_at = this.clock.wall();
    for (const { id, name } of serversOf(this.offered.listAll()).values())
      this.seen.set(id, { id, name, seen_at });
  }

  /**
   * All servers that were seen, here or by another gateway. If two gateways write at once, the next request repeats the
   * lost write.
   */
  private async remember(): Promise<SeenServer[]> {
    const stored = await this.stored.get(DEPLOYMENT, KEY);
    const known = new Map(stored?.map((server) => [server.id, server]));
    const isKept = ({ seen_at }: SeenServer) => this.clock.wall() - seen_at < FORGOTTEN_AFTER_MS;
    const fresh = [...this.seen.values()].filter((server) => {
      const { seen_at: before = -Infinity } = known.get(server.id) ?? {};
      return isKept(server) && server.seen_at - before > DAY_MS;
    });
    for (const server of fresh) known.set(server.id, server);
    const kept = [...known.values()].filter(isKept);
    if (fresh.length > 0) await this.stored.put(DEPLOYMENT, KEY, kept);
    return kept;
  }
}

function serversOf(tools: readonly CatalogTool[]): Map<string, Required<Server>> {
  const servers = new Map<string, Required<Server>>();
  for (const tool of tools) {
    const { toolset: id, own_name: name, description } = tool;
    const server = servers.get(id) ?? { id, name: serverNameOf(tool), tools: [] };
    server.tools.push({ name, description });
    servers.set(id, server);
  }
  return servers;
}

/** As configured, of MCP; a local toolset has but one name. */
function serverNameOf({ toolset, source, display_name, own_name }: CatalogTool): string {
  return source === 'mcp' ? display_name.slice('mcp:'.length, -(own_name.length + 1)) : toolset;
}
