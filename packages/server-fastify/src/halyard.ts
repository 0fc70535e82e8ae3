import { ConfigurationError, isProduction } from '@halyard/contracts';
import { systemClock } from '@halyard/core/server';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { logAnonymousUser } from './access/anonymous-user.ts';
import type { AuthOptions } from './access/auth-options.ts';
import { accessRules } from './access/create-access.ts';
import type { Rules } from './access/policy.ts';
import { createAdmission } from './admission/admission.ts';
import { defaultLimits, fixedLimits } from './admission/limits.ts';
import { channels as allChannels } from './api/channels/index.ts';
import { OpenSockets } from './api/channels/open-sockets.ts';
import { tieredRoutes } from './api/default-console-routes.ts';
import { apiDocument, type DescribeAppRoutes, type DocumentedAccess, toServers } from './api/openapi/api-document.ts';
import type { ReportUndescribed } from './api/openapi/app-schemas.ts';
import { listAuthorizationServers } from './api/routes/discovery/resource-metadata.ts';
import { consolePage, explorerPage } from './api/routes/documents/documents.ts';
import { endpoints as api } from './api/routes/index.ts';
import type { Services, Site } from './api/services.ts';
import { OpenStreams } from './api/streaming/open-streams.ts';
import { buildServices } from './build-services.ts';
import { followAppRoutes } from './http/app-routes.ts';
import { graceWithin } from './http/closing-time.ts';
import { countRequests } from './http/count-requests.ts';
import { acceptBytes, takesBytes } from './http/endpoints/bytes-body.ts';
import { toCaller } from './http/endpoints/endpoint-call.ts';
import { acceptForms, takesForm } from './http/endpoints/form-body.ts';
import { acceptJsonBodies } from './http/endpoints/json-body.ts';
import { refuseEmptyNames } from './http/endpoints/refuse-empty-names.ts';
import { registerChannels } from './http/endpoints/register-channels.ts';
import { registerEndpoint } from './http/endpoints/register-endpoint.ts';
import { sendError } from './http/endpoints/send-failure.ts';
import { validateRequests } from './http/endpoints/validation.ts';
import { belongTo, hasCredential, resolvedRoute, verifiedUser } from './http/guards/access-hook.ts';
import { guardRequests } from './http/guards/guard-requests.ts';
import { LocalRequests } from './http/guards/local-requests.ts';
import { protectRoutes } from './http/guards/protect-routes.ts';
import type { Internals } from './http/internals.ts';
import { defaultPort } from './http/listen-address.ts';
import { recordedLogger } from './http/logging/recorded-logger.ts';
import { openStorages } from './http/open-storages.ts';
import { addConsole, addMissingConsole, findConsole } from './http/pages/console.ts';
import { addExplorer } from './http/pages/explorer.ts';
import { setServerApprovals } from './http/server-approvals.ts';
import { readServerState } from './http/server-state.ts';
import { setWorkflowRuntime } from './http/workflow-runtime.ts';
import { flushMemories } from './runtime/lifecycle/flush-memories.ts';
import { Retention } from './runtime/lifecycle/retention.ts';
import { RunningCalls } from './runtime/lifecycle/running-calls.ts';
import { LogRecords } from './runtime/logging/log-records.ts';
import { ServerMetrics } from './runtime/metrics/server-metrics.ts';
import { FixedText } from './runtime/services/fixed-text.ts';
import { publicAddress } from './runtime/services/public-address.ts';
import { checkPluginOptions } from './server-option-names.ts';
import type { HalyardOptions } from './server-options.ts';
import { version } from './version.ts';

/**
 * A Fastify plugin that serves agents, tools and workflows in your own app:
 * `app.register(halyard, { agents })`.
 *
 * Its error handling, validation and body parsing apply to its own routes only. When the app
 * closes, running requests and streams may continue for `limits.shutdownGraceMs`, but at most for
 * the app's `pluginTimeout` (Fastify's default: 10 s) less 3 s.
 */
export const halyard: FastifyPluginAsync<HalyardOptions> = fastifyPlugin(
  async (app: FastifyInstance, options: HalyardOptions) => {
    checkPluginOptions(options);
    await serveHalyard(app, options, {});
  },
  { name: '@halyard/server-fastify', fastify: '5.x' },
);

export async function serveHalyard(app: FastifyInstance, options: HalyardOptions, internals: Internals): Promise<void> {
  const { enableSwaggerUI = !isProduction(), prefix = '', publicUrl, retention: retentionOptions = {} } = options;
  const {
    channels = allChannels,
    endpoints = api,
    isGuarded = false,
    metrics = new ServerMetrics(),
    userOf = verifiedUser,
    work = new RunningCalls(),
  } = internals;
  let describeAppRoutes: DescribeAppRoutes | undefined;
  let document: object | undefined;
  let documentText: { readonly serverUrl: string; readonly text: FixedText } | undefined;
  const consoleFolder = options.console === false ? undefined : await findConsole();
  if (options.console === true && consoleFolder === undefined)
    throw new ConfigurationError(
      'The option `console` needs the package @halyard/console: npm install @halyard/console',
    );
  const documented = [
    ...endpoints,
    ...(consoleFolder === undefined ? [] : [consolePage]),
    ...(enableSwaggerUI ? [explorerPage] : []),
  ];
  const rules = options.auth && accessRules(options.auth, tieredRoutes(endpoints, channels));
  const describeApi = (): object =>
    apiDocument(documented, {
      prefix,
      version,
      registered: services.registry,
      limitsRates: internals.limitsRates ?? false,
      describeAppRoutes: (reservedNames) => describeAppRoutes?.(reservedNames),
      report: reportUndescribed,
      ...(rules && { access: documentedAccess(rules, options.auth, prefix) }),
    });
  const site: Site = {
    // Nearly all requests name the same address.
    apiDocument: (serverUrl) => {
      document ??= describeApi();
      if (documentText?.serverUrl !== serverUrl)
        documentText = { serverUrl, text: new FixedText(JSON.stringify({ ...document, ...toServers(serverUrl) })) };
      return documentText.text;
    },
    console: options.console === false ? 'off' : consoleFolder === undefined ? 'not-installed' : 'served',
    hasExplorer: enableSwaggerUI,
    addressFor: (forwarded) => publicAddress({ publicUrl, prefix, origin: () => readOrigin(app) }, forwarded),
    prefix,
    authorizationServers: listAuthorizationServers(options.auth?.provider),
  };
  const logs = internals.logs ?? new LogRecords({ clock: systemClock });
  const limits = { ...defaultLimits, ...fixedLimits, ...options.limits, ...internals.limits };
  const admission = createAdmission(limits, {
    callerOf: (request) => toCaller(request, userOf),
    overload: internals.overload,
  });
  const { close, services } = await buildServices(options, {
    limits,
    reserveReply: (callerKey) => admission.resumableReplies.reserve(callerKey),
    logger: internals.logs === undefined ? recordedLogger(app.log, logs) : app.log,
    logs,
    metrics,
    schemaTimeLimitMs: internals.schemaTimeLimitMs,
    isDraining: () => work.isDraining,
    isStopping: () => work.isStopping,
    requirementOf: (method, url) => rules?.({ method, url, isWebSocket: false, isBelowPrefix: true }),
    site,
  });
  setWorkflowRuntime(app, services.workflows);
  setServerApprovals(app, services);
  const reportUndescribed: ReportUndescribed = (part, reason) =>
    services.agentServices.logger.warn({ part, reason }, '/doc cannot describe a schema exactly');
  const local = new LocalRequests(options.allowedHosts);
  const streams = new OpenStreams(limits.pingMs);
  const sockets = new OpenSockets(limits.pingMs);
  metrics.observe(readServerState({ services, sockets, streams, work }), services.registry);
  const retention =
    retentionOptions === false
      ? undefined
      : new Retention(
          { ...services.agentServices, ...services, telemetry: services.telemetry?.store },
          retentionOptions,
        );

  app.addHook('onReady', async () => {
    await openStorages(services, graceWithin(app, longestOpeningMs));
    logAnonymousUser(options, services.memories, services.agentServices.logger);
    const { agents, workflows } = services.registry;
    await services.webhooks?.start();
    // Replies of agents may be executions, and another process may have left some.
    if (workflows.length > 0 || agents.length > 0) services.workflows.start();
    retention?.start();
    admission.overload.start();
    metrics.start();
  });
  app.addHook('preClose', async () => {
    const graceMs = graceWithin(app, limits.shutdownGraceMs);
    await Promise.all([stopWorking(work, services, graceMs), sockets.close(graceMs), retention?.stop()]);
    // The last executions have stopped, and their events are sent by other servers.
    await services.webhooks?.stop(webhookGraceMs);
  });
  app.addHook('onClose', async () => {
    admission.overload.stop();
    metrics.stop();
    await close();
  });
  await app.register(
    async (scope) => {
      scope.setErrorHandler(sendError);
      if (internals.metrics === undefined) scope.addHook('onRequest', countRequests(metrics));
      if (!isGuarded) scope.addHook('onRequest', guardRequests(limits.urlBytes));
      if (!isGuarded) protectRoutes(scope, options, { ...internals, prefix: scope.prefix });
      refuseEmptyNames(scope);
      acceptJsonBodies(scope, limits, admission.bytes);
      validateRequests(scope);
      const dependencies = { admission, local, services, streams, userOf, work };
      for (const endpoint of endpoints)
        if (!takesForm(endpoint) && !takesBytes(endpoint)) registerEndpoint(scope, endpoint, dependencies);
      await scope.register(async (signed) => {
        acceptBytes(signed, admission.bytes);
        for (const endpoint of endpoints.filter(takesBytes)) registerEndpoint(signed, endpoint, dependencies);
      });
      await scope.register(async (forms) => {
        acceptForms(forms, admission.bytes);
        for (const endpoint of endpoints.filter(takesForm)) registerEndpoint(forms, endpoint, dependencies);
      });
      await registerChannels(app, scope, channels, {
        admission,
        services,
        sockets,
        work,
        userOf,
        isVerified: (request) => hasCredential(request) || userOf(request) !== undefined,
      });
      if (enableSwaggerUI) await serveExplorer(scope, site);
      if (options.console !== false) await serveConsole(scope, consoleFolder, site);
    },
    { prefix },
  );
  // Halyard's routes are registered by now; their endpoints describe them. Routes of an app that
  // uses the plugin are not described.
  if (isGuarded) describeAppRoutes = followAppRoutes(app, reportUndescribed);
}

/**
 * How long the start waits for the storage. Creating an embedded database takes seconds of
 * computing.
 */
const longestOpeningMs = 60_000;
/** How long a close waits for webhooks on their way. */
const webhookGraceMs = 1_000;
/** The minimum time for the writes of memories after the grace period. */
const minFlushMs = 1_000;

/**
 * Waits for running requests, chats and steps of executions, aborts the requests that wait for
 * executions, and writes pending messages.
 */
async function stopWorking(
  work: RunningCalls,
  {
    chats,
    limits,
    memories,
    agentServices,
    workflows,
  }: Pick<Services, 'chats' | 'limits' | 'memories' | 'agentServices' | 'workflows'>,
  graceMs: number,
): Promise<void> {
  const startedAt = agentServices.clock.now();
  const stopWorkflows = async (): Promise<void> => {
    try {
      await workflows.stop(graceMs, limits.shutdownAbortMs);
    } catch (error) {
      agentServices.logger.error({ err: error }, 'could not stop the workflows in order');
    } finally {
      work.abortDetached();
    }
  };
  await Promise.all([chats.drain(graceMs), work.drain(graceMs), stopWorkflows()]);
  const leftMs = Math.max(startedAt + graceMs - agentServices.clock.now(), minFlushMs);
  await flushMemories(memories.all, leftMs, agentServices.logger);
}

async function serveExplorer(scope: FastifyInstance, site: Site): Promise<void> {
  await scope.register(async (pages) => {
    belongTo(pages, explorerPage.url);
    await addExplorer(pages, site);
  });
}

async function serveConsole(scope: FastifyInstance, folder: string | undefined, site: Site): Promise<void> {
  await scope.register(async (pages) => {
    belongTo(pages, consolePage.url);
    if (folder === undefined) addMissingConsole(pages);
    else await addConsole(pages, folder, site);
  });
}

function readOrigin(app: FastifyInstance): string {
  const address = app.addresses()[0];
  if (typeof address !== 'object') return `http://localhost:${defaultPort}`;
  const anywhere = address.address === '0.0.0.0' || address.address === '::';
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${anywhere ? 'localhost' : host}:${address.port}`;
}

function documentedAccess(rules: Rules, auth: AuthOptions | undefined, prefix: string): DocumentedAccess {
  return {
    requirementOf: (method, url) => rules(resolvedRoute(method, url, prefix)),
    limitsRejections: auth?.rejectedPerMinute !== false,
  };
}
