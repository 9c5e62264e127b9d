import type { MetricSubject } from './metric-subject.js';

const WAIT_BUCKETS = [0.05, 0.25, 1, 2.5, 5, 10, 30, 60, 300];
const FIRST_TOKEN_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ERROR_KINDS = [
  'overloaded',
  'rate_limited',
  'used_up',
  'server',
  'network',
  'invalid',
  'auth',
  'context_overflow',
] as const;
const MAX_PROVIDERS = 8;

export const modelMetrics = (about: MetricSubject) => ({
  modelCalls: about.counter({
    name: 'switchyard_model_calls_total',
    help: 'Requests to a model, by provider and outcome: ok, aborted by a Stop or a take-over, or the kind of error.',
    labels: { provider: 'open', outcome: ['ok', 'aborted', ...ERROR_KINDS] },
    maxOpen: MAX_PROVIDERS * 6,
  }),
  modelFirstToken: about.histogram({
    name: 'switchyard_model_first_token_seconds',
    help: 'Time from a request to a model to the first part of its answer, by provider.',
    labels: { provider: 'open' },
    maxOpen: MAX_PROVIDERS,
    buckets: FIRST_TOKEN_BUCKETS,
  }),
  modelTokens: about.counter({
    name: 'switchyard_model_tokens_total',
    help: 'Tokens of all requests, failed ones included, by provider and kind; `cached` is a part of `input`.',
    labels: { provider: 'open', kind: ['input', 'output', 'cached'] },
    maxOpen: MAX_PROVIDERS * 3,
  }),
  modelCost: about.counter({
    name: 'switchyard_model_cost_total',
    help: 'Cost of model answers, in the unit of the configured prices, by the name that has the price.',
    labels: { model: 'open' },
  }),
  modelRetries: about.counter({
    name: 'switchyard_model_retries_total',
    help: 'Repeated requests to the same model, by provider and the kind of error that caused them.',
    labels: { provider: 'open', kind: ERROR_KINDS },
    maxOpen: MAX_PROVIDERS * 4,
  }),
  modelSteps: about.counter({
    name: 'switchyard_model_steps_total',
    help: 'Steps written here, by the model that answered (`other`: a client chose it) and kind.',
    labels: { model: 'open', kind: ['model', 'summary', 'cancel', 'fail'] },
    maxOpen: 40,
  }),
  modelFallbacks: about.counter({
    name: 'switchyard_model_fallbacks_total',
    help: 'Times that this model was asked because another one was overloaded.',
    labels: { model: 'open' },
  }),
  modelWaiting: about.gauge({
    name: 'switchyard_model_waiting',
    help: 'Requests to a model that wait here for their admission.',
  }),
  modelWaits: about.counter({
    name: 'switchyard_model_waits_total',
    help: 'Requests to a model that had to wait, by what was short: requests, tokens, streams, or as the provider asked.',
    labels: { short_of: ['requests', 'tokens', 'streams', 'provider'] },
  }),
  modelWaitDuration: about.histogram({
    name: 'switchyard_model_wait_seconds',
    help: 'How long requests to a model waited that had to wait.',
    buckets: WAIT_BUCKETS,
  }),
});
