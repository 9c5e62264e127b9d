import { say } from '../fakes/messages-reply.js';
import { startStrictMessagesApi, type StrictMessagesApi } from '../fakes/strict-messages-api.js';

export const PROVIDER_MODEL = 'anthropic/claude-sonnet-5-5';

/** A provider that answers, until it is told to fail. */
export class ChangingProvider {
  /** The status of every answer; undefined: it answers well. */
  failsWith: number | undefined;
  private api!: StrictMessagesApi;

  static async start(): Promise<ChangingProvider> {
    const provider = new ChangingProvider();
    provider.api = await startStrictMessagesApi({
      script: () =>
        provider.failsWith === undefined
          ? say('Hello.')
          : { status: provider.failsWith, message: 'made to fail' },
    });
    return provider;
  }

  /** What an orchestrator needs to use it; the demo model stays the default. */
  get env(): Record<string, string> {
    return {
      MODEL: 'demo',
      ANTHROPIC_API_KEY: 'sk-ant-test-0123456789',
      ANTHROPIC_BASE_URL: this.api.url,
    };
  }

  close(): Promise<void> {
    return this.api.close();
  }
}
