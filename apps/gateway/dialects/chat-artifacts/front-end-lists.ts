import { PROVIDERS } from '#llm';
import type { OfferedModels } from '../../catalogue/offered-models.js';
import type { OfferedTools } from '../../catalogue/offered-tools.js';
import type { User } from '../../people/auth/user.js';

/** The names of earlier front ends for one of them. */
const FORMER_NAMES = new Map([['claude', 'anthropic']]);

/** A server in the front end's list. */
export interface ServerBody {
  name: string;
  isRunning: boolean;
  status: 'active' | 'inactive';
  tools: { name: string; description?: string; inputSchema: Record<string, unknown> }[];
}

/** The lists that the front end shows next to a chat: servers, and the available providers. */
export class FrontEndLists {
  constructor(
    private readonly offered: Pick<OfferedTools, 'listServers' | 'rollCalled'>,
    private readonly models: Pick<OfferedModels, 'modelOf'>,
  ) {}

  async serverNames(user: User): Promise<string[]> {
    // Right after a start the list would be empty.
    await this.offered.rollCalled();
    return (await this.offered.listServers(user)).map(({ name }) => name);
  }

  async servers(user: User): Promise<ServerBody[]> {
    await this.offered.rollCalled();
    return (await this.offered.listServers(user)).map(({ name, isRunning, tools }) => ({
      name,
      isRunning,
      status: isRunning ? 'active' : 'inactive',
      tools: isRunning
        ? tools.map(({ own_name, description, input_schema }) => ({
            name: own_name,
            ...(description === '' ? {} : { description }),
            inputSchema: { type: 'object', ...input_schema },
          }))
        : [],
    }));
  }

  /** For each provider, whether it is configured. */
  providers(): Record<string, boolean> {
    return Object.fromEntries(PROVIDERS.map(({ name }) => [name, this.modelOf(name) !== undefined]));
  }

  /** The `provider/model` for a provider name in a request; undefined when it is not configured. */
  modelOf(provider: string): string | undefined {
    return this.models.modelOf(FORMER_NAMES.get(provider) ?? provider);
  }
}
