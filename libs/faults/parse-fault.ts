import { FAULT_POINTS, isFaultPointName, type FaultPointName } from './fault-point-names.js';

/** A fault at a point: it strikes once, on the `passage`-th passage. */
export type Fault = { name: FaultPointName; passage: number } & (
  { kind: 'kill' | 'freeze' | 'drop_connection' } | { kind: 'delay'; delayMs: number }
);

/** The value of `SWITCHYARD_FAULT` arms nothing. The process must not start, because its test would prove nothing. */
export class FaultSetupError extends Error {
  override name = 'FaultSetupError';
}

const FORM = /^([a-z_]+):(?:(kill|freeze|drop_connection)|delay:(\d{1,9}))(?:@([1-9]\d{0,5}))?$/;

/** `<point>:kill`, `:freeze`, `:drop_connection` or `:delay:<ms>`, each with `@<k>` for the k-th passage. */
export function parseFault(text: string | undefined): Fault | undefined {
  if (text === undefined || text === '') return undefined;
  const [, name, kind, delayMs, passage = '1'] = FORM.exec(text) ?? [];
  if (name === undefined) {
    throw new FaultSetupError(
      'SWITCHYARD_FAULT must be <point>:kill, <point>:freeze, <point>:drop_connection or <point>:delay:<ms>, with @<k> for the k-th passage',
    );
  }
  if (!isFaultPointName(name)) {
    const names = Object.keys(FAULT_POINTS).join(', ');
    throw new FaultSetupError(`SWITCHYARD_FAULT names an unknown point; there are ${names}`);
  }
  const place = { name, passage: Number(passage) };
  if (delayMs !== undefined) return { ...place, kind: 'delay', delayMs: Number(delayMs) };
  return { ...place, kind: kind as 'kill' | 'freeze' | 'drop_connection' };
}
