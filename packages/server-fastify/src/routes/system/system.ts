import { isProduction } from '@halyard/contracts';
import { isoTime } from '@halyard/core';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services/services.ts';
import { version } from '../../version.ts';
import { SystemReport } from './schemas.ts';

export const systemRoutes = [
  defineRoute({
    method: 'GET',
    url: '/observability/system',
    tier: 'console',
    operationId: 'getSystem',
    tag: 'Observability',
    summary: 'Get what this process runs, its schedules and limits, and settings that are a risk',
    data: SystemReport,
    handler: async (_, services) => reportOf(services),
  }),
];

function reportOf(services: Services): SystemReport {
  const { isDraining, limits, registry, run, storage, telemetry, warnings, workflows } = services;
  const { heapUsed, rss } = process.memoryUsage();
  const now = run.clock.now();
  return {
    process: {
      version,
      node: process.version,
      environment: isProduction() ? 'production' : 'development',
      startedAt: isoTime(now - process.uptime() * 1_000),
      residentBytes: rss,
      heapBytes: heapUsed,
      isDraining: isDraining(),
    },
    executions: { running: workflows.load.running, waiting: workflows.load.waiting ?? null },
    storage: {
      telemetry: telemetry?.store.name ?? null,
      isPersistent: isPersistent(storage),
      pool: storage.connections?.() ?? null,
    },
    schedules: registry.workflows.flatMap(({ schedules }) =>
      schedules.map(({ rule, ticks }) => {
        const next = ticks.nextRun(new Date(now));
        return { ...rule, nextAt: next === null ? null : isoTime(next.getTime()) };
      }),
    ),
    limits: { ...limits },
    warnings: [...warnings],
  };
}

/** A storage that loses its approvals with the process loses everything. */
function isPersistent(storage: Services['storage']): boolean {
  return storage.approvals.lifeId === undefined;
}
