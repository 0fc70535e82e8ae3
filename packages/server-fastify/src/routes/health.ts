import { Type } from '@sinclair/typebox';
import { definePage, type PageAnswer } from '../define/define-page.ts';
import type { Services } from '../define/services.ts';

const contentType = 'application/json; charset=utf-8';
const headers = { 'cache-control': 'no-store' };

const alive = definePage({
  method: 'GET',
  url: '/healthz',
  tier: 'public',
  operationId: 'getHealth',
  tag: 'Health',
  summary: 'Whether the process is alive',
  contentType,
  headers,
  content: Type.Object({ status: Type.Literal('ok') }),
  handler: () => ({ body: '{"status":"ok"}' }),
});

const ready = definePage({
  method: 'GET',
  url: '/readyz',
  tier: 'public',
  operationId: 'getReadiness',
  tag: 'Health',
  summary: 'Whether the server takes requests',
  description: 'Load balancers ask this: the storage is reachable, and the server is not shutting down.',
  contentType,
  headers,
  content: Type.Object({
    status: Type.Union([Type.Literal('ready'), Type.Literal('draining'), Type.Literal('unavailable')]),
  }),
  alternatives: { 503: 'The server is shutting down, or its storage cannot be reached' },
  handler: async (_call, services): Promise<PageAnswer> => {
    if (services.isDraining()) return { status: 503, body: '{"status":"draining"}' };
    return (await canServe(services))
      ? { body: '{"status":"ready"}' }
      : { status: 503, body: '{"status":"unavailable"}' };
  },
});

export const healthPages = [alive, ready];

async function canServe({ limits, run, storage }: Services): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, limits.readinessMs, 'late' as const);
  try {
    const outcome = await Promise.race([storage.check(), late]);
    if (outcome === 'late') run.logger.warn({ limitMs: limits.readinessMs }, 'the storage did not answer in time');
    return outcome !== 'late';
  } catch (error) {
    run.logger.warn({ err: error }, 'the storage cannot be reached');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
