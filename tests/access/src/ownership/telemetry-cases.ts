import type { OwnershipCase } from './ownership-case.ts';
import type { Thing } from './things.ts';

const ofOne: readonly OwnershipCase[] = (
  [
    ['traces/:traceId', 'traceId', (thing: Thing) => thing.id],
    ['traces/:traceId/logs', 'traceId', (thing: Thing) => thing.id],
    ['spans/:spanId', 'spanId', (thing: Thing) => thing.inner],
    ['spans/:spanId/logs', 'spanId', (thing: Thing) => thing.inner],
  ] as const
).map(([path, name, idOf]) => ({
  route: `GET /observability/${path}`,
  thing: 'trace',
  by: [`params.${name}`],
  request: (thing) => ({ params: { [name]: idOf(thing) } }),
  own: 200,
  others: 404,
}));

const lists: readonly OwnershipCase[] = (
  [
    ['GET /observability/traces', 'trace', {}],
    ['GET /observability/traces', 'trace', { entityType: 'agent', status: 'ok', limit: '1' }],
    ['GET /observability/logs', 'nothing', {}],
    ['GET /observability/spans', 'nothing', {}],
    ['GET /observability/spans', 'nothing', { entry: 'true', status: 'ok', limit: '1' }],
    ['GET /observability/failures', 'nothing', {}],
    ['GET /observability/metrics', 'nothing', {}],
    ['GET /observability/metrics', 'nothing', { groupBy: 'agent' }],
    ['GET /agents/:id/history', 'trace', {}],
    ['GET /agents/:id/history', 'trace', { limit: '1' }],
  ] as const
).map(([route, thing, query]) => ({
  route,
  thing,
  by: [],
  request: () => ({ query, ...(route.includes(':id') && { params: { id: 'parrot' } }) }),
  own: 200,
  others: 200,
}));

const logsOfOne: readonly OwnershipCase[] = (['traceId', 'spanId'] as const).map((name) => ({
  route: 'GET /observability/logs',
  thing: 'trace',
  by: [`query.${name}`],
  request: ({ id, inner }) => ({ query: { [name]: name === 'traceId' ? id : inner } }),
  own: 200,
  others: 200,
}));

/** Telemetry belongs to the user of the run. */
export const telemetryCases: readonly OwnershipCase[] = [...ofOne, ...lists, ...logsOfOne];
