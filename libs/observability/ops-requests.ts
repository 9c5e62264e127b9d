import type { RequestListener, ServerResponse } from 'node:http';
import type { Health } from './health.js';
import type { Registry } from './metrics/create-metrics.js';

/** 200 while the event loop turns; nothing else may make a container orchestrator kill the process. */
export function sendLiveness(response: ServerResponse): void {
  sendJson(response, 200, { status: 'alive' });
}

/** 200 only while the process takes work, else 503. */
export async function sendReadiness(health: Health, response: ServerResponse): Promise<void> {
  const readiness = await health.readiness();
  sendJson(response, readiness.status === 'ready' ? 200 : 503, readiness);
}

/** Answers a scrape in the Prometheus text format. */
export async function sendMetrics(registry: Registry, response: ServerResponse): Promise<void> {
  const text = await registry.metrics();
  response.setHeader('Content-Type', registry.contentType);
  response.setHeader('Cache-Control', 'no-store');
  response.end(text);
}

/** `GET /health/live`, `/health/ready` and `/metrics`, for a server of operators alone; the rest is 404. */
export function opsRequests({ health, registry }: { health: Health; registry: Registry }): RequestListener {
  const answers: Record<string, (response: ServerResponse) => void | Promise<void>> = {
    '/health/live': sendLiveness,
    '/health/ready': (response) => sendReadiness(health, response),
    '/metrics': (response) => sendMetrics(registry, response),
  };
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const answer = isRead && Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer) return sendJson(response, 404, { error: 'not found' });
    const answering = (async () => answer(response))();
    answering.catch(() => sendJson(response, 500, { error: 'no answer' }));
  };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Cache-Control', 'no-store');
  response.end(JSON.stringify(body));
}
