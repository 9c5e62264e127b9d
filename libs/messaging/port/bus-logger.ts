/** The part of a pino logger that the bus needs. */
export interface BusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: BusLogger = { info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
