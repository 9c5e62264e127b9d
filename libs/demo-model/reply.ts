/** What the demo model says to one request. */
export interface Reply {
  thinking?: string;
  text: string;
  calls: ToolUse[];
  /** How much slower than usual it speaks; default 1. */
  slowness?: number;
}

export interface ToolUse {
  name: string;
  arguments: Record<string, unknown>;
}

export function say(text: string): Reply {
  return { text, calls: [] };
}
