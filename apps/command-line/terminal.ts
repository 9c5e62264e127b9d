import type { Environment } from '#bootstrap';

/** What a command has of the world. */
export interface Terminal {
  write(text: string): void;
  /** `SWITCHYARD_TOKEN` is the token of the operator. */
  environment: Environment;
  /** Sets the exit code of a command that ends in order. */
  exitWith?(code: number): void;
  /** `end` is awaited before SIGINT or SIGTERM ends the process. */
  onStop?(end: () => Promise<void>): void;
}
