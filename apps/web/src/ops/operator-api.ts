import type {
  FleetState,
  ListedLetter,
  ListedSwitch,
  ListedSwitches,
  ListedTurn,
  SetSwitch,
  ShownLetter,
  TurnTimeline,
} from '#contracts';
import { ask } from '../connection/http.js';

export interface ListedAccount {
  id: string;
  number: number;
  username: string;
  role: 'user' | 'operator';
  is_active: boolean;
}

/** Of one user or model, whichever was asked for. */
export interface UsageSums {
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  cost: number;
}

export type UserUsage = UsageSums & { user_id: string };
export type ModelUsage = UsageSums & { model: string };

export interface AllUsage<Row> {
  /** Days, both included. */
  from: string;
  to: string;
  rows: Row[];
  /** There are more rows than these. */
  is_cut: boolean;
}

export const MAX_TURNS = 100;
export const MAX_LETTERS = 100;
export const MAX_ACCOUNTS = 500;
/** As `MAX_SWITCH_REASON`, whose module would bring the schemas into the page. */
export const MAX_REASON = 500;

const letterPath = (id: string) => `/api/admin/dead-letters/${encodeURIComponent(id)}`;

const SWITCHES = '/api/admin/switches';
type Place = Pick<ListedSwitch, 'kind' | 'name'>;
const switchPath = ({ kind, name }: Place) => `${SWITCHES}/${kind}/${encodeURIComponent(name)}`;

/** What the page of operators asks the gateway for. Every one of them throws `HttpError`. */
export const operatorApi = {
  status: () => ask<FleetState>('GET', '/api/admin/status'),
  turns: () => ask<ListedTurn[]>('GET', `/api/admin/turns?limit=${MAX_TURNS}`),
  timeline: (turnId: string) =>
    ask<TurnTimeline>('GET', `/api/admin/turns/${encodeURIComponent(turnId)}/timeline`),
  letters: () => ask<ListedLetter[]>('GET', `/api/admin/dead-letters?limit=${MAX_LETTERS}`),
  letter: (id: string) => ask<ShownLetter>('GET', letterPath(id)),
  replay: (id: string) => ask<ListedLetter>('POST', `${letterPath(id)}/replay`),
  discard: (id: string) => ask<undefined>('DELETE', letterPath(id)),
  switches: () => ask<ListedSwitches>('GET', SWITCHES),
  setSwitch: (place: Place, reason: string) =>
    ask<SetSwitch>('PUT', switchPath(place), reason === '' ? {} : { reason }),
  unsetSwitch: (place: Place) => ask<undefined>('DELETE', switchPath(place)),
  usage: () => ask<AllUsage<UserUsage>>('GET', '/api/admin/usage?by=user'),
  models: () => ask<AllUsage<ModelUsage>>('GET', '/api/admin/usage?by=model'),
  accounts: () => ask<ListedAccount[]>('GET', `/api/admin/users?limit=${MAX_ACCOUNTS}`),
};

export type OperatorApi = typeof operatorApi;
