import { createHmac } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../../../packages/memory-postgres/src/testing/free-port.ts';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Image } from './build-image.ts';
import { Container, type ContainerOptions } from './container.ts';

export { type PostgresServer, startPostgresServer };

export const secretsOfTests = {
  halyardSecret: 'halyard-secret-of-the-tests-'.padEnd(48, 'x'),
  jwtSecret: 'jwt-secret-of-the-tests-'.padEnd(48, 'x'),
  consoleKey: 'console-key-of-the-tests-'.padEnd(48, 'x'),
} as const;

/** A replica of examples/deploy in a container. */
export interface Replica {
  readonly container: Container;
  readonly origin: string;
  /** A request with a token of the user. */
  readonly asUser: (user: string, path: string, init?: RequestInit) => Promise<Response>;
  /** A request with the console key. */
  readonly asOperator: (path: string, init?: RequestInit) => Promise<Response>;
}

export interface ReplicaOptions extends Omit<ContainerOptions, 'args'> {
  readonly databaseUrl: string;
}

/** Starts a replica, with its secrets in files as in the manifests. */
export async function startReplica(
  image: Pick<Image, 'folder' | 'settings'>,
  { databaseUrl, env = {}, secrets = {} }: ReplicaOptions,
): Promise<Replica> {
  const port = await freePort();
  const files = {
    'database-url': databaseUrl,
    'halyard-secret': secretsOfTests.halyardSecret,
    'jwt-secret': secretsOfTests.jwtSecret,
    'console-key': secretsOfTests.consoleKey,
    ...secrets,
  };
  const container = new Container(image, {
    secrets: files,
    env: {
      PORT: String(port),
      DATABASE_URL_FILE: '/run/secrets/database-url',
      HALYARD_SECRET_FILE: '/run/secrets/halyard-secret',
      JWT_SECRET_FILE: '/run/secrets/jwt-secret',
      SERVICE_CONSOLE_ACCESS_KEY_FILE: '/run/secrets/console-key',
      ...env,
    },
  });
  const origin = `http://127.0.0.1:${port}`;
  const [jwtSecret = ''] = files['jwt-secret'].split('\n');
  const withHeaders = (init: RequestInit, headers: Record<string, string>): RequestInit => ({
    ...init,
    headers: { ...(init.body !== undefined && { 'content-type': 'application/json' }), ...headers },
  });
  return {
    container,
    origin,
    asUser: (user, path, init = {}) =>
      fetch(origin + path, withHeaders(init, { authorization: `Bearer ${tokenOf(user, jwtSecret)}` })),
    asOperator: (path, init = {}) =>
      fetch(origin + path, withHeaders(init, { 'x-console-access-key': files['console-key'] })),
  };
}

/** The status of a page. 0: nothing listens there. */
export async function statusOf(url: string): Promise<number> {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Waits until the replica is ready. @throws when its process ends before. */
/** Far longer than a start takes on a busy machine: without it, a test would wait forever. */
const readyLimitMs = 180_000;

export async function ready({ container, origin }: Replica): Promise<void> {
  const ended = container.ended.then(({ code, stderr, stdout }) => {
    throw new Error(`The replica ended with ${code}\n${stdout}${stderr}`);
  });
  const isReady = async (): Promise<void> => {
    const until = performance.now() + readyLimitMs;
    while ((await statusOf(`${origin}/readyz`)) !== 200) {
      if (performance.now() > until) throw new Error(`The replica at ${origin} is not ready\n${container.stdout}`);
      await delay(50);
    }
  };
  await Promise.race([isReady(), ended]);
}

export function tokenOf(user: string, secret: string = secretsOfTests.jwtSecret): string {
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = { sub: user, aud: 'halyard', iss: 'halyard', iat: seconds, exp: seconds + 600 };
  const encoded = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signature = createHmac('sha256', secret).update(encoded.join('.')).digest('base64url');
  return [...encoded, signature].join('.');
}
