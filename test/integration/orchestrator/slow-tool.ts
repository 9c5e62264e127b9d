import { z } from 'zod';
import { defineTool, defineToolset, type ToolsetHost } from '#tools';

/** A tool whose calls end when the test says so. */
export class SlowTool {
  /** Users in the order in which their calls were started. */
  readonly started: string[] = [];
  private readonly running: (() => void)[] = [];
  private isOver = false;

  get host(): ToolsetHost {
    return defineToolset({
      name: 'slow',
      version: '1.0.0',
      tools: [
        defineTool({
          name: 'wait',
          description: 'Waits.',
          input: z.strictObject({ user: z.string() }),
          class: 'read',
          timeoutMs: 60_000,
          run: async ({ user }) => {
            this.started.push(user);
            if (!this.isOver) await new Promise<void>((resolve) => this.running.push(resolve));
            return 'done';
          },
        }),
      ],
    });
  }

  get runningCount(): number {
    return this.running.length;
  }

  /** The one that runs for longest. */
  end(): void {
    this.running.shift()?.();
  }

  endAll(): void {
    this.isOver = true;
    while (this.running.length > 0) this.end();
  }
}
