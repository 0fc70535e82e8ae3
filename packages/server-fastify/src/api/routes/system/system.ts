import { isProduction } from '@halyard/contracts';
import { isoTime } from '@halyard/core/server';
import { type Limits, limitTable } from '../../../admission/limits.ts';
import { version } from '../../../version.ts';
import { defineRoute } from '../../define/define-route.ts';
import type { Services } from '../../services.ts';
import { SystemReport } from './schemas.ts';

export const systemRoutes = [
  defineRoute({
    method: 'GET',
    url: '/observability/system',
    tier: 'console',
    operationId: 'getSystem',
    tag: 'Observability',
    summary: 'Get the work of this process, its schedules and limits, and settings that are a risk',
    data: SystemReport,
    handler: async (_, services) => readReport(services),
  }),
];

async function readReport(services: Services): Promise<SystemReport> {
  const { isStopping, limits, registry, agentServices, storage, telemetry, warnings, workflows } = services;
  const { heapUsed, rss } = process.memoryUsage();
  const now = agentServices.clock.now();
  const [size, replicas] = await Promise.all([readSize(services), readReplicas(services)]);
  return {
    process: {
      version,
      node: process.version,
      environment: isProduction() ? 'production' : 'development',
      startedAt: isoTime(now - process.uptime() * 1_000),
      residentBytes: rss,
      heapBytes: heapUsed,
      isDraining: isStopping(),
    },
    executions: { running: workflows.load.running, waiting: workflows.load.due },
    storage: {
      telemetry: telemetry?.store.name ?? null,
      isPersistent: isPersistent(storage),
      pool: storage.connections?.() ?? null,
      size,
    },
    replicas,
    schedules: registry.workflows.flatMap(({ schedules }) =>
      schedules.map(({ rule, ticks }) => {
        const next = ticks.nextRun(new Date(now));
        return { ...rule, nextAt: next === null ? null : isoTime(next.getTime()) };
      }),
    ),
    limits: Object.fromEntries((Object.keys(limitTable) as (keyof Limits)[]).map((name) => [name, limits[name]])),
    warnings: [...warnings],
  };
}

/** The rest of the report is needed most when the storage does not respond. */
async function readSize({ agentServices, storage }: Services): Promise<SystemReport['storage']['size']> {
  try {
    const size = await storage.size?.();
    return size === undefined ? null : { bytes: size.bytes, tables: size.tables.map((table) => ({ ...table })) };
  } catch (error) {
    agentServices.logger.warn({ err: error }, 'the size of the storage could not be read');
    return null;
  }
}

async function readReplicas({ agentServices, storage, workflows }: Services): Promise<SystemReport['replicas']> {
  try {
    // An engine has a list of its own.
    const runners = 'runners' in storage.executions ? await storage.executions.runners?.() : undefined;
    const now = agentServices.clock.now();
    return (
      runners?.map(({ executions, leaseUntil, runner, since }) => ({
        id: runner,
        isThis: runner === workflows.runner,
        since: isoTime(since),
        leaseUntil: isoTime(leaseUntil),
        isLost: leaseUntil <= now,
        executions,
      })) ?? null
    );
  } catch (error) {
    agentServices.logger.warn({ err: error }, 'the list of replicas could not be read');
    return null;
  }
}

/** A storage that loses its approvals with the process loses everything. */
function isPersistent(storage: Services['storage']): boolean {
  return storage.approvals.lifeId === undefined;
}
