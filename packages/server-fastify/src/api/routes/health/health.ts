import { isHalyardError } from '@halyard/contracts';
import { type Static, Type } from '@sinclair/typebox';
import { isCheckable } from '../../../runtime/lifecycle/is-checkable.ts';
import { definePage, type PageReply } from '../../define/define-page.ts';
import type { Services } from '../../services.ts';

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

/**
 * A part that the server needs, and why it cannot be used. Without details, because the page is
 * public: the log contains them.
 */
const UnavailablePart = Type.Object({
  part: Type.Union([Type.Literal('storage'), Type.Literal('memory'), Type.Literal('vectors')], {
    description: "`storage`: of the server; `memory`: the storage of an agent's own memory; `vectors`: a vector store",
  }),
  problem: Type.Union([Type.Literal('silent'), Type.Literal('unreachable'), Type.Literal('misconfigured')], {
    description:
      '`silent`: no response within 2 s; `misconfigured`: somebody must act, for example run the migrations, or let the role write; `unreachable`: any other failure',
  }),
});
type UnavailablePart = Static<typeof UnavailablePart>;

const ready = definePage({
  method: 'GET',
  url: '/readyz',
  tier: 'public',
  operationId: 'getReadiness',
  tag: 'Health',
  summary: 'Whether the server accepts requests',
  description:
    'For load balancers: the storage can be written, the vector stores are reachable, and the server is not shutting down. If not, the reply names the parts that are not ready.',
  contentType,
  headers,
  content: Type.Object({
    status: Type.Union([Type.Literal('ready'), Type.Literal('draining'), Type.Literal('unavailable')]),
    unavailable: Type.Optional(Type.Array(UnavailablePart)),
  }),
  alternatives: { 503: 'The server is shutting down, or a part that it needs is unavailable' },
  handler: async (_call, services): Promise<PageReply> => {
    if (services.isStopping()) return { status: 503, code: 'SHUTTING_DOWN', body: '{"status":"draining"}' };
    const unavailable = await unavailableParts(services);
    if (unavailable.length === 0) return { body: '{"status":"ready"}' };
    return { status: 503, code: 'STORAGE_UNAVAILABLE', body: JSON.stringify({ status: 'unavailable', unavailable }) };
  },
});

export const healthPages = [alive, ready];

/** Checks each storage and each vector store once, even if several memories share it. */
async function unavailableParts(services: Services): Promise<readonly UnavailablePart[]> {
  const { memories, storage } = services;
  const parts = new Map<object, UnavailablePart['part']>([[storage, 'storage']]);
  for (const memory of memories.all) {
    if (!parts.has(memory.storage)) parts.set(memory.storage, 'memory');
    if (memory.vectors !== undefined) parts.set(memory.vectors, 'vectors');
  }
  const checks = [...parts].map(async ([checked, part]) => {
    const problem = await findProblem(checked, part, services);
    return problem === undefined ? [] : [{ part, problem }];
  });
  return (await Promise.all(checks)).flat();
}

/** Undefined when the part is available. */
async function findProblem(
  checked: object,
  part: UnavailablePart['part'],
  { limits, agentServices: { logger } }: Services,
): Promise<UnavailablePart['problem'] | undefined> {
  if (!isCheckable(checked)) return undefined;
  const { promise: late, resolve } = Promise.withResolvers<'silent'>();
  const timer = setTimeout(resolve, limits.readinessMs, 'silent' as const);
  try {
    const outcome = await Promise.race([checked.check(), late]);
    if (outcome !== 'silent') return undefined;
    logger.warn({ part, limitMs: limits.readinessMs }, 'a part of the server did not respond in time');
    return outcome;
  } catch (error) {
    logger.warn({ err: error, part }, 'a part of the server is unavailable');
    return isMisconfiguration(error) ? 'misconfigured' : 'unreachable';
  } finally {
    clearTimeout(timer);
  }
}

/** An adapter may wrap the error of its configuration. */
function isMisconfiguration(error: unknown): boolean {
  return error instanceof Error && (isConfigurationError(error) || isConfigurationError(error.cause));
}

function isConfigurationError(error: unknown): boolean {
  return isHalyardError(error) && error.code === 'INVALID_CONFIGURATION';
}
