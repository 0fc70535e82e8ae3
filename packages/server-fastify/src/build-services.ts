import { randomBytes } from 'node:crypto';
import {
  type Clock,
  ConfigurationError,
  type EngineStorage,
  isProduction,
  type Logger,
  type Storage,
  type StreamStore,
} from '@halyard/contracts';
import { WorkflowRuntime } from '@halyard/core';
import {
  approvalExpiryId,
  approvalExpiryWorkflow,
  Chats,
  ClientSchemas,
  createApprovals,
  createRegistry,
  downloadFile,
  generationDefaults,
  randomIds,
  systemClock,
} from '@halyard/core/server';
import { chooseAnonymousUser } from './access/anonymous-user.ts';
import { storedCallerKey } from './access/identity.ts';
import { Memories } from './access/memories.ts';
import { Targets } from './access/targets.ts';
import type { ServerLimits } from './admission/limits.ts';
import { askNextRound, settleExpired } from './api/routes/approvals/expired-approvals.ts';
import { acceptLinks } from './api/routes/documents/accept-links.ts';
import type { Services, Site } from './api/services.ts';
import { loggedError, toFailure } from './http/errors/to-failure.ts';
import { AuditTrail } from './runtime/audit/audit-trail.ts';
import { expiryEntry, nobody, shadowEntry } from './runtime/audit/audited-approvals.ts';
import { acceptHooks } from './runtime/hooks/hook-options.ts';
import { shuttingDown } from './runtime/lifecycle/shutting-down.ts';
import { type LogRecords, type LogTarget, unrecorded } from './runtime/logging/log-records.ts';
import type { ServerMetrics } from './runtime/metrics/server-metrics.ts';
import { AnswerLinks } from './runtime/services/answer-links.ts';
import { ApprovalChanges } from './runtime/services/approval-changes.ts';
import { configurationWarnings } from './runtime/services/configuration-warnings.ts';
import { McpServers } from './runtime/services/mcp-servers.ts';
import { StreamTickets } from './runtime/services/stream-tickets.ts';
import { openRecording, type Recording } from './runtime/telemetry/open-recording.ts';
import type { Updates, UpdatesOptions } from './runtime/updates/updates.ts';
import { openWebhooks } from './runtime/webhooks/open-webhooks.ts';
import { acceptWebhooks } from './runtime/webhooks/webhook-options.ts';
import type { HalyardOptions } from './server-options.ts';

/** Lease of resumable chats; executions have the same default. */
const defaultLeaseMs = 10_000;

interface ServiceDependencies {
  readonly limits: ServerLimits;
  /** Takes a slot for a resumable reply. @returns a function that frees it. */
  readonly reserveReply: (callerKey: string) => () => void;
  readonly logger: Logger;
  /** Converts the lines of the logger to records. */
  readonly logs: LogRecords;
  readonly metrics: ServerMetrics;
  readonly schemaTimeLimitMs: number | undefined;
  readonly isDraining: () => boolean;
  readonly isStopping: () => boolean;
  readonly requirementOf: Services['requirementOf'];
  readonly site: Site;
}

interface BuiltServices {
  readonly services: Services;
  readonly close: () => Promise<void>;
}

/** Creates the services of one server. `close` releases all that was created here. */
export async function buildServices(
  options: HalyardOptions,
  dependencies: ServiceDependencies,
): Promise<BuiltServices> {
  const { logger } = dependencies;
  const ownStorage = options.storage ?? (await defaultStorage(logger));
  // Lines about a storage that fails cannot be stored there.
  ownStorage.useLogger?.(unrecorded(logger));
  const storage = (await options.engine?.open(ownStorage, { logger })) ?? ownStorage;
  const closeStorage = async (): Promise<void> => {
    if ('disconnect' in storage.executions) await storage.executions.disconnect();
    if (options.storage === undefined) await ownStorage.close();
  };
  try {
    const { close, services } = await servicesOn(storage, options, dependencies);
    return {
      services,
      close: async () => {
        await close();
        await closeStorage();
      },
    };
  } catch (error) {
    await closeStorage();
    throw error;
  }
}

async function servicesOn(
  storage: Storage | EngineStorage,
  options: HalyardOptions,
  dependencies: ServiceDependencies,
): Promise<BuiltServices> {
  const { approvalExpiryMs, leaseMs, memory, queue, secret, telemetry = {} } = options;
  const anonymousUserId = chooseAnonymousUser(options);
  const registry = createRegistry(options);
  const hooks = acceptHooks(options.hooks ?? {});
  const webhooks = acceptWebhooks(options.webhooks ?? []);
  const links = acceptLinks(options.links ?? [], registry);
  const mcpServers = new McpServers(options.mcpServers ?? [], registry);
  const [clock, ids] = [systemClock, randomIds];
  const { isDraining, isStopping, limits, logger, logs, metrics, requirementOf, schemaTimeLimitMs, site } =
    dependencies;
  const secrets = readSecrets(secret, logger);
  const [firstSecret] = secrets;
  const approvalChanges = new ApprovalChanges();
  const signedApprovals = createApprovals({
    secrets,
    store: storage.approvals,
    clock,
    ids,
    ...(approvalExpiryMs !== undefined && { expiryMs: approvalExpiryMs }),
    mayAnswer: options.mayAnswer,
    logger,
  });
  const approvals = approvalChanges.observe(signedApprovals);
  const recording =
    telemetry === false ? undefined : await openRecording(telemetry, { storage, clock, logger: unrecorded(logger) });
  logs.connect(logTarget(recording));
  recording?.exportMetrics?.(metrics);
  const audit = new AuditTrail({ store: storage.audit, clock, ids, logger });
  const agentServices: Services['agentServices'] = {
    clock,
    ids,
    logger,
    approvals,
    metrics,
    recordShadow: (call) => audit.record(shadowEntry(call), nobody, async () => {}, 'server'),
    recordExpiry: (expired, act) => audit.record(expiryEntry(expired), nobody, act, 'server'),
    expireApproval: async (request, { conversationId, user, userId }) => {
      await workflows.begin(approvalExpiryId(request.agentId), request, { conversationId, user, userId });
    },
    busyWaitMs: limits.busyWaitMs,
    executionValueBytes: limits.executionValueBytes,
    ...(leaseMs !== undefined && { leaseMs }),
    downloadFile: (url, signal) => downloadFile(url, { signal }),
    ...(memory !== undefined && { memory }),
    ...(anonymousUserId !== undefined && { anonymousUserId }),
    ...(recording !== undefined && { recorder: recording.recorder }),
  };
  const streams = storage.streams ?? (await defaultStreams(clock));
  const chats = new Chats({
    store: streams,
    executions: storage.executions,
    agents: registry.agents,
    // Approvals of a storage that loses them with the process have the id of that life.
    outliveProcess: storage.approvals.lifeId === undefined && storage.streams !== undefined,
    isDraining,
    clock,
    ids,
    logger,
    leaseMs: leaseMs ?? defaultLeaseMs,
    queueWaitMs: limits.busyWaitMs,
    shutdownError: shuttingDown,
    reserve: dependencies.reserveReply,
    describeFailure: (error: unknown, streamId: string) => {
      const failure = toFailure(error, streamId);
      if (failure.isServerFault) logger.error({ ...loggedError(error, failure), streamId }, 'a reply failed');
      return failure.message;
    },
  });
  const expiries = registry.agents.map((agent) =>
    approvalExpiryWorkflow(agent, {
      askAgain: (expired, round) => askNextRound(expired, round, services),
      settle: (expired) => settleExpired(expired, services),
    }),
  );
  const workflows = new WorkflowRuntime({
    workflows: [...registry.workflows, ...chats.workflows, ...expiries],
    storage,
    services: agentServices,
    ...(queue !== undefined && { queue }),
    ...(leaseMs !== undefined && { leaseMs }),
  });
  const schemas = new ClientSchemas(schemaTimeLimitMs === undefined ? {} : { timeLimitMs: schemaTimeLimitMs });
  const services: Services = {
    registry,
    storage,
    audit,
    memories: new Memories(registry, agentServices),
    mcpServers,
    targets: new Targets(registry, workflows.workflows),
    agentServices,
    approvalChanges,
    generationDefaults: options.generation === 'provider-defaults' ? {} : generationDefaults,
    workflows,
    hooks,
    webhooks: openWebhooks(webhooks, { storage, isEngine: options.engine !== undefined, clock, logger }),
    streams,
    streamTickets: new StreamTickets(secrets, clock),
    answerLinks: new AnswerLinks(secrets, clock),
    storedCallerKey: (caller) => storedCallerKey(caller, firstSecret),
    chats,
    schemas,
    telemetry: recording?.telemetry,
    metrics,
    loadUpdates: updatesLoader(options.updates ?? {}, { clock, logger }),
    requirementOf,
    isStopping,
    limits,
    warnings: configurationWarnings(options, storage),
    site,
    links,
  };
  return {
    services,
    close: async () => {
      await mcpServers.close(logger);
      await schemas.close();
      await recording?.close();
    },
  };
}

async function defaultStorage(logger: Logger): Promise<Storage> {
  if (isProduction())
    logger.warn(
      {},
      'no storage is set, so everything is stored in this process and is lost when it ends: set the option `storage`, such as to createPostgresStorage(…)',
    );
  const { createInMemoryStorage } = await import('@halyard/memory-in-memory');
  return createInMemoryStorage();
}

/** For a storage without a stream store. */
async function defaultStreams(clock: Clock): Promise<StreamStore> {
  const { InMemoryStreamStore } = await import('@halyard/memory-in-memory');
  return new InMemoryStreamStore(clock);
}

/** One instance per server: it caches versions and runs one installation at a time. */
function updatesLoader(
  options: UpdatesOptions,
  services: { readonly clock: Clock; readonly logger: Logger },
): Services['loadUpdates'] {
  let loaded: Promise<Updates> | undefined;
  return () =>
    (loaded ??= import('./runtime/updates/updates.ts').then(({ Updates }) => new Updates(options, services)));
}

function readSecrets(secret: HalyardOptions['secret'], logger: Logger): readonly [string, ...string[]] {
  const given = secret ?? (process.env['HALYARD_SECRET'] || undefined);
  if (given === undefined) {
    if (isProduction()) {
      logger.warn(
        {},
        'no secret is set, so tool approvals are valid in this process only: set HALYARD_SECRET or the option `secret`',
      );
    }
    return [randomBytes(32).toString('base64url')];
  }
  const [first, ...others] = typeof given === 'string' ? [given] : given;
  if (first === undefined || [first, ...others].includes(''))
    throw new ConfigurationError('The option `secret` must be a non-empty string or an array of them');
  return [first, ...others];
}

/** Stores log records together with the spans and exports them to the same place. */
function logTarget(recording: Recording | undefined): LogTarget | undefined {
  if (recording === undefined) return undefined;
  const { exportLog, recorder, telemetry } = recording;
  const { recordsContent } = recorder;
  return { sink: telemetry, exportLog, recordsContent, active: () => recorder.active() };
}
