import { Environment } from './environment.ts';

/** The settings of a replica, from its environment. */
export interface Settings {
  readonly databaseUrl: string;
  /** Connections of this replica. */
  readonly maxConnections: number;
  /**
   * Whether a replica migrates the tables when it starts. Otherwise `migrate.ts` does, before a
   * deploy.
   */
  readonly autoMigrate: boolean;
  /** Sign approvals of tool calls: the first one signs, all are accepted. */
  readonly secrets: readonly string[];
  readonly jwt: JwtSettings;
  readonly consoleKey: string;
  /** Undefined: agents answer that the key is missing. */
  readonly modelKey: string | undefined;
  readonly logLevel: (typeof logLevels)[number];
  /**
   * How long requests are accepted after SIGTERM, until the proxy has noticed that the replica is
   * not ready.
   */
  readonly shutdownDelayMs: number;
  /** The addresses of the proxies in front of the app, separated by commas. */
  readonly trustProxy: string | undefined;
}

export interface JwtSettings {
  /** All are accepted. `sign-token.ts` signs with the first one. */
  readonly secrets: readonly string[];
  readonly audience: string;
  readonly issuer: string;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** @throws SettingsError that names everything that is missing or invalid. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const environment = new Environment(env);
  const settings: Settings = {
    databaseUrl: environment.required('DATABASE_URL'),
    maxConnections: environment.wholeNumber('MAX_CONNECTIONS', { fallback: 10, least: 1, most: 9_999 }),
    autoMigrate: environment.oneOf('AUTO_MIGRATE', ['true', 'false'], 'true') === 'true',
    secrets: environment.secrets('HALYARD_SECRET'),
    jwt: jwtSettings(environment),
    consoleKey: environment.secret('SERVICE_CONSOLE_ACCESS_KEY'),
    modelKey: environment.optional('OPENAI_API_KEY'),
    logLevel: environment.oneOf('LOG_LEVEL', logLevels, 'info'),
    shutdownDelayMs: environment.wholeNumber('SHUTDOWN_DELAY_MS', { fallback: 0, least: 0, most: 60_000 }),
    trustProxy: environment.optional('TRUST_PROXY'),
  };
  environment.check();
  return settings;
}

/** For the scripts, which need nothing else. @throws SettingsError */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  const environment = new Environment(env);
  const url = environment.required('DATABASE_URL');
  environment.check();
  return url;
}

/** For the scripts, which need nothing else. @throws SettingsError */
export function readJwtSettings(env: NodeJS.ProcessEnv = process.env): JwtSettings {
  const environment = new Environment(env);
  const settings = jwtSettings(environment);
  environment.check();
  return settings;
}

function jwtSettings(environment: Environment): JwtSettings {
  return {
    secrets: environment.secrets('JWT_SECRET'),
    audience: environment.optional('JWT_AUDIENCE') ?? 'halyard',
    issuer: environment.optional('JWT_ISSUER') ?? 'halyard',
  };
}
