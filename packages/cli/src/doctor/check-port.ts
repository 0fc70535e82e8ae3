import { createServer } from 'node:net';
import type { Check } from './check.ts';

/** Whether the app can listen on its port. */
export async function checkPort(env: NodeJS.ProcessEnv): Promise<Check> {
  const port = Number((env['PORT'] ?? '').trim() || 3141);
  const host = (env['HOST'] ?? '').trim() || (/^prod(uction)?$/.test(env['NODE_ENV'] ?? '') ? '0.0.0.0' : '127.0.0.1');
  const id = 'port';
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return { id, status: 'failed', message: `PORT is "${env['PORT'] ?? ''}"`, fix: 'Set PORT to a number up to 65535' };
  }
  const code = await tryToListen(port, host);
  if (code === undefined) return { id, status: 'ok', message: `Port ${port} on ${host} is free` };
  if (code !== 'EADDRINUSE') {
    return {
      id,
      status: 'failed',
      message: `This user cannot listen on port ${port} of ${host}: ${code}`,
      fix: 'Set PORT, such as PORT=3142, and HOST to an address of this machine',
    };
  }
  if (await isHalyard(port, host)) {
    return {
      id,
      status: 'warning',
      message: `A Halyard server is running on port ${port}`,
      fix: 'Stop it before you start another one, or set PORT, such as PORT=3142',
    };
  }
  return {
    id,
    status: 'failed',
    message: `Another program uses port ${port} on ${host}`,
    fix: `Stop it, or set PORT, such as PORT=${port === 65_535 ? 3142 : port + 1}`,
  };
}

/** @returns the code of the error, or undefined. */
function tryToListen(port: number, host: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const server = createServer();
  server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  return promise;
}

async function isHalyard(port: number, host: string): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  try {
    const reply = await fetch(`http://${name.includes(':') ? `[${name}]` : name}:${port}/readyz`, {
      signal: AbortSignal.timeout(2_000),
    });
    const body = (await reply.json()) as { readonly success?: unknown; readonly status?: unknown };
    return body.success !== undefined || body.status !== undefined;
  } catch {
    return false;
  }
}
