import type { Storage } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { definePage, type PageAnswer } from '../../define/define-page.ts';
import type { Services } from '../../services/services.ts';

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
  summary: 'Whether the server accepts requests',
  description:
    'For load balancers: the storage and the vector stores are reachable, and the server is not shutting down.',
  contentType,
  headers,
  content: Type.Object({
    status: Type.Union([Type.Literal('ready'), Type.Literal('draining'), Type.Literal('unavailable')]),
  }),
  alternatives: { 503: 'The server is shutting down, or its storage is unreachable' },
  handler: async (_call, services): Promise<PageAnswer> => {
    if (services.isDraining()) return { status: 503, body: '{"status":"draining"}' };
    return (await canServe(services))
      ? { body: '{"status":"ready"}' }
      : { status: 503, body: '{"status":"unavailable"}' };
  },
});

export const healthPages = [alive, ready];

async function canServe(services: Services): Promise<boolean> {
  const { limits, run } = services;
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(resolve, limits.readinessMs, 'late' as const);
  try {
    const outcome = await Promise.race([checkAll(services), late]);
    if (outcome === 'late') run.logger.warn({ limitMs: limits.readinessMs }, 'the storage did not respond in time');
    return outcome !== 'late';
  } catch (error) {
    run.logger.warn({ err: error }, 'the storage is unreachable');
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** Checks each storage and each vector store once, even if several memories share it. */
async function checkAll({ memories, storage }: Pick<Services, 'memories' | 'storage'>): Promise<void> {
  const parts: readonly object[] = [
    storage,
    ...memories.all.flatMap((memory) => [memory.storage, memory.vectors ?? []]),
  ];
  await Promise.all([...new Set(parts)].filter(isCheckable).map((part) => part.check()));
}

/** A memory may use only some stores of a storage, which have no `check`. */
function isCheckable(part: object): part is Pick<Storage, 'check'> {
  return 'check' in part && typeof part.check === 'function';
}
