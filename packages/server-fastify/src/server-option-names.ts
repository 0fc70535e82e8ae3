import { checkOptionNames, checkRuntime, ConfigurationError, type OptionNames } from '@halyard/contracts';
import type { FastifyRegisterOptions } from 'fastify';
import type { AuthOptions } from './access/auth-options.ts';
import { checkLimits, limitTable } from './admission/limits.ts';
import { checkRetention, type RetentionOptions } from './runtime/lifecycle/retention.ts';
import { isUrlPath } from './runtime/services/public-address.ts';
import type { TelemetryOptions } from './runtime/telemetry/open-recording.ts';
import type { UpdatesOptions } from './runtime/updates/updates.ts';
import type { HalyardOptions, ServerOptions } from './server-options.ts';

/**
 * @throws ConfigurationError for an unknown option of `createServer`, and for a list that is none.
 */
export function checkServerOptions(options: ServerOptions): void {
  checkRuntime();
  checkOptionNames('createServer', options, serverOptionNames);
  if (typeof options.trustProxy === 'number')
    throw new ConfigurationError(
      'The option `trustProxy` must name the addresses of the proxies: Fastify trusts nobody with a number of proxies',
    );
  checkNestedOptions(options);
}

/** The same for the plugin, which also gets Fastify's options for plugins. */
export function checkPluginOptions(options: HalyardOptions): void {
  checkOptionNames('The plugin halyard', options, { ...halyardOptionNames, ...registerOptionNames });
  checkNestedOptions(options);
}

function checkNestedOptions(options: HalyardOptions): void {
  const { allowedHosts, auth, generation, limits, mcpServers, publicUrl, retention, telemetry, updates } = options;
  if (mcpServers !== undefined && !Array.isArray(mcpServers))
    throw new ConfigurationError('The option `mcpServers` must be a list: `mcpServers: [mcpServer]`');
  if (generation !== undefined && generation !== 'provider-defaults')
    throw new ConfigurationError("The option `generation` must be 'provider-defaults'; settings belong to agents");
  checkHostNames(allowedHosts);
  checkPublicUrl(publicUrl);
  checkOptionNames('The option `auth`', auth ?? {}, authOptionNames);
  checkOptionNames('The option `limits`', limits ?? {}, limitNames);
  checkLimits(limits ?? {});
  checkOptionNames('The option `updates`', updates ?? {}, updatesOptionNames);
  if (retention !== false) {
    checkOptionNames('The option `retention`', retention ?? {}, retentionOptionNames);
    checkRetention(retention ?? {});
  }
  if (telemetry !== false) checkOptionNames('The option `telemetry`', telemetry ?? {}, telemetryOptionNames);
}

function checkHostNames(names: unknown): void {
  if (names === undefined || (Array.isArray(names) && names.every(isHostName))) return;
  throw new ConfigurationError(
    `The option \`allowedHosts\` must be a list of host names without scheme and port, such as "halyard.test", not ${JSON.stringify(names)}`,
  );
}

function checkPublicUrl(publicUrl: unknown): void {
  if (publicUrl === undefined || isPublicUrl(publicUrl)) return;
  throw new ConfigurationError(
    `The option \`publicUrl\` must be an http(s) URL without user name, query and fragment, such as "https://api.example.org", not ${JSON.stringify(publicUrl)}`,
  );
}

function isPublicUrl(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return false;
  return !/[?#]/.test(url.href) && (url.pathname === '/' || isUrlPath(url.pathname.replace(/\/$/, '')));
}

function isHostName(name: unknown): boolean {
  return typeof name === 'string' && /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(name);
}

const halyardOptionNames: OptionNames<HalyardOptions> = {
  agents: true,
  allowedHosts: true,
  anonymousUserId: true,
  approvalExpiryMs: true,
  mayAnswer: true,
  auth: true,
  console: true,
  enableSwaggerUI: true,
  generation: true,
  engine: true,
  hooks: true,
  leaseMs: true,
  limits: true,
  links: true,
  mcpServers: true,
  memory: true,
  prefix: true,
  publicUrl: true,
  queue: true,
  retention: true,
  secret: true,
  storage: true,
  telemetry: true,
  tools: true,
  updates: true,
  webhooks: true,
  workflows: true,
};
const serverOptionNames: OptionNames<ServerOptions> = {
  ...halyardOptionNames,
  cors: true,
  host: true,
  logger: true,
  port: true,
  rateLimit: true,
  signals: true,
  trustProxy: true,
};
const registerOptionNames: OptionNames<Exclude<FastifyRegisterOptions<object>, (...parameters: never) => unknown>> = {
  logLevel: true,
  logSerializers: true,
  prefix: true,
};
const authOptionNames: OptionNames<AuthOptions> = {
  consoleKey: true,
  consoleRoles: true,
  consoleRoutes: true,
  defaultPrivate: true,
  mode: true,
  provider: true,
  publicRoutes: true,
  rejectedPerMinute: true,
};
const limitNames = Object.fromEntries(Object.keys(limitTable).map((name) => [name, true as const]));
const retentionOptionNames: OptionNames<RetentionOptions> = {
  auditDays: true,
  executionsMs: true,
  telemetryDays: true,
};
const telemetryOptionNames: OptionNames<TelemetryOptions> = {
  prices: true,
  recordContent: true,
  recorder: true,
  store: true,
};
const updatesOptionNames: OptionNames<UpdatesOptions> = { allowInProduction: true, directory: true, registry: true };
