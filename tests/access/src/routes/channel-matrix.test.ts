import { type AuthOptions, createServer } from '@halyard/server-fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { carried, consoleKey, provider } from '../../../../packages/server-fastify/src/testing/credentials.ts';
import { refusalOf } from '../../../../packages/server-fastify/src/testing/sockets.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';
import { inParallel } from '../in-parallel.ts';

const auth: AuthOptions = { provider, consoleKey, rejectedPerMinute: false };

/** The credentials that open `/ws` if it requires the console key. */
const opensConsole: ReadonlySet<string> = new Set([
  'key in header',
  'key in query',
  'key in header, wrong in query',
  'key and token of ada',
  'key and bad token',
]);
/** The credentials that also open it outside of production. */
const opensInDevelopment: ReadonlySet<string> = new Set(['dev query', 'dev query and upgrade header']);
/** A page of another origin without a valid credential is refused, even if `/ws` is public. */
const foreign: ReadonlySet<string> = new Set(['dev header with foreign origin', 'dev header with origin null']);

const refusal = '{"success":false,"error":"Console access required"}';

const consoleOnly = (name: string, isProduction: boolean): number =>
  opensConsole.has(name) || (!isProduction && opensInDevelopment.has(name)) ? 101 : 401;
const open = (name: string): number => (foreign.has(name) ? 403 : 101);

const modes: readonly (readonly [string, AuthOptions | undefined, typeof consoleOnly])[] = [
  ['policy', auth, consoleOnly],
  ['policy, public', { ...auth, publicRoutes: ['WS /ws'] }, open],
  ['policy, public and for the console', { ...auth, publicRoutes: ['/ws'], consoleRoutes: ['/ws'] }, open],
  ['legacy', { ...auth, mode: 'legacy' }, open],
  ['none', undefined, open],
];

afterEach(() => vi.unstubAllEnvs());

describe.each(modes)('/ws in mode %s', (_name, given, expected) => {
  it('accepts exactly the credentials that the lists name', async () => {
    const server = await createServer({
      logger: 'silent',
      signals: false,
      port: 0,
      limits: unreachableLimits,
      ...(given !== undefined && { auth: given }),
    });
    const url = await server.listen();
    // The server's own page. Its port is only known now.
    const headersOf = (name: string) =>
      name === 'dev header of own page'
        ? { ...carried[name]?.headers, origin: url }
        : name === 'dev query and upgrade header'
          ? {}
          : carried[name]?.headers;
    const deviations: string[] = [];
    for (const environment of ['production', 'Production', undefined]) {
      vi.stubEnv('NODE_ENV', environment);
      const found = await inParallel(Object.entries(carried), async ([name, { query }]) => {
        const { body, status } = await refusalOf(`${url}/ws${query === undefined ? '' : `?${query}`}`, {
          headers: headersOf(name) ?? {},
        });
        const should = expected(name, environment !== undefined);
        const isExplained = status !== 401 || JSON.stringify(body) === refusal;
        return [
          ...(status === should ? [] : [`${name}, NODE_ENV ${environment}: ${status}, not ${should}`]),
          ...(isExplained ? [] : [`${name}, NODE_ENV ${environment}: ${JSON.stringify(body)}`]),
        ];
      });
      deviations.push(...found.flat());
    }
    await server.close();
    expect(deviations).toEqual([]);
  });
});
