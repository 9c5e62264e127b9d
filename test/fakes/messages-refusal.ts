/** What the fake refuses, in the words of the real API. */
export interface Refusal {
  status: number;
  type: string;
  message: string;
}

export type Json = Record<string, unknown>;

export function invalid(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', message };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
