import { ConfigurationError, isProduction } from '@halyard/contracts';

export const defaultPort = 3141;
const highestPort = 65_535;

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Where to listen: the options, else the environment variables HOST and PORT, else port 3141 on
 * 127.0.0.1, or on all addresses if NODE_ENV is production. An empty variable counts as unset.
 *
 * @throws ConfigurationError naming the invalid option or variable.
 */
export function listenAddress(
  { host, port }: Partial<ListenAddress>,
  env: NodeJS.ProcessEnv = process.env,
): ListenAddress {
  const hostVariable = env['HOST']?.trim() || undefined;
  const portVariable = env['PORT']?.trim() || undefined;
  return {
    host: checkedHost(host) ?? hostVariable ?? (isProduction(env) ? '0.0.0.0' : '127.0.0.1'),
    port: checkedPort(port) ?? portIn(portVariable) ?? defaultPort,
  };
}

/** An error of `listen` in words for the developer. Returns any other error unchanged. */
export function listenFailure(error: unknown, { host, port }: ListenAddress): unknown {
  const advice = 'with the option `port` or the environment variable PORT';
  switch (error instanceof Error && 'code' in error && error.code) {
    case 'EADDRINUSE':
      return new ConfigurationError(
        `Port ${port} on ${host} is in use. Stop the process that listens there, or choose another port ${advice}`,
      );
    case 'EACCES':
      return new ConfigurationError(
        `This user may not listen on port ${port}: ports below 1024 are reserved on most systems. Choose another port ${advice}`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EINVAL':
      return new ConfigurationError(
        `"${host}" is not an address of this machine. Set the option \`host\` or the environment variable HOST to one, such as 127.0.0.1, or 0.0.0.0 for all addresses`,
      );
    default:
      return error;
  }
}

function checkedHost(host: unknown): string | undefined {
  if (host === undefined || (typeof host === 'string' && host !== '')) return host;
  throw new ConfigurationError(`The option \`host\` must be a host name or an IP address, not ${JSON.stringify(host)}`);
}

function checkedPort(port: unknown): number | undefined {
  if (port === undefined || isPort(port)) return port;
  throw new ConfigurationError(
    `The option \`port\` must be a whole number from 0 to ${highestPort}, not ${JSON.stringify(port)}`,
  );
}

function portIn(variable: string | undefined): number | undefined {
  if (variable === undefined) return undefined;
  const port = /^\d+$/.test(variable) ? Number(variable) : undefined;
  if (isPort(port)) return port;
  throw new ConfigurationError(
    `The environment variable PORT must be a whole number from 0 to ${highestPort}, not ${JSON.stringify(variable)}`,
  );
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= highestPort;
}
