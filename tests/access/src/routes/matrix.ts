import { isProduction } from '@halyard/contracts';
import { type AuthOptions, type HalyardServer, verifiedUser } from '@halyard/server-fastify';
import { Type } from '@sinclair/typebox';
import type { LightMyRequestResponse } from 'fastify';
import { subjectForCaller } from '../../../../packages/server-fastify/src/access/identity.ts';
import { defineRoute, type Endpoint } from '../../../../packages/server-fastify/src/api/define/define-route.ts';
import type { AnyEndpoint } from '../../../../packages/server-fastify/src/api/define/endpoint.ts';
import { endpoints as api } from '../../../../packages/server-fastify/src/api/routes/index.ts';
import { createServerWithInternals } from '../../../../packages/server-fastify/src/create-server.ts';
import type { Internals } from '../../../../packages/server-fastify/src/http/internals.ts';
import {
  otherTable,
  readCredentials,
  readRoutes,
  type RouteRow,
  routeTable,
} from '../../../../packages/server-fastify/src/testing/access-tables.ts';
import { carried } from '../../../../packages/server-fastify/src/testing/credentials.ts';
import { unreachableLimits } from '../../../../tools/limits/unreachable-limits.ts';
import { inParallel } from '../in-parallel.ts';

/** A configuration of access control, and its columns of the tables. */
export interface Mode {
  readonly name: string;
  readonly auth?: AuthOptions;
  readonly requirementOf: (row: RouteRow) => string;
  /** No key is configured: credentials with the right key count as those with a wrong one. */
  readonly hasNoKey?: boolean;
}

interface Row extends RouteRow {
  readonly kind: 'ours' | 'app' | 'files' | 'nothing';
}

const others = readRoutes(otherTable);
const rows: readonly Row[] = [
  ...readRoutes(routeTable).map((row) => ({ ...row, kind: 'ours' as const })),
  ...others.map((row) => ({ ...row, kind: kindOf(row) })),
];

function kindOf({ method, url }: RouteRow): Row['kind'] {
  if (url.startsWith('/mine')) return 'app';
  return method === 'GET' && url.startsWith('/ui') ? 'files' : 'nothing';
}

/** A request: a route with one kind of credentials. */
export interface Cell {
  readonly row: Row;
  readonly method: string;
  /** The name of the credentials. */
  readonly name: string;
}

const allCells: readonly Cell[] = rows.flatMap((row) =>
  (row.method === 'GET' ? ['GET', 'HEAD'] : [row.method]).flatMap((method) =>
    Object.keys(carried).map((name) => ({ row, method, name })),
  ),
);

const asWrongKey: Readonly<Record<string, string>> = {
  'key in header': 'wrong key in header',
  'key in query': 'wrong key in query',
  'key in header, wrong in query': 'wrong key in header',
  'key and token of ada': 'wrong key and token of ada',
  'key and bad token': 'bad token',
};

/**
 * Without access control, and on routes that legacy mode leaves open, pages of other sites must not
 * change anything.
 */
const fromAnotherSite: ReadonlySet<string> = new Set([
  'dev header from another site',
  'dev header with foreign origin',
  'dev header with origin null',
]);

/** The routes of the API with their own requirements and with handlers that return the user. */
export function echoing(
  endpoints: readonly Pick<Endpoint, 'isScoped' | 'method' | 'role' | 'tier' | 'url'>[] = api,
): readonly AnyEndpoint[] {
  return endpoints.map(({ isScoped, method, role, tier, url }) =>
    defineRoute({
      ...(isScoped && { isScoped }),
      ...(role && { role }),
      method,
      tier,
      url,
      operationId: `${method}${url}`,
      tag: 'Test',
      summary: 'Who calls',
      data: Type.Any(),
      handler: ({ caller }) => subjectForCaller(caller) ?? 'anyone',
    }),
  );
}

/** A server whose routes return the user of the request. */
export async function openMatrix(mode: Mode, internals: Internals = {}): Promise<HalyardServer> {
  const server = await createServerWithInternals(
    {
      logger: 'silent',
      signals: false,
      enableSwaggerUI: true,
      limits: unreachableLimits,
      ...(mode.auth !== undefined && { auth: mode.auth }),
    },
    { ...internals, endpoints: internals.endpoints ?? echoing() },
  );
  for (const { method, url } of others.filter((row) => kindOf(row) === 'app')) {
    server.app.route({
      method,
      url,
      handler: (request) => ({
        success: true,
        data: verifiedUser(request)?.id ?? verifiedUser(request)?.sub ?? 'anyone',
      }),
    });
  }
  await server.app.ready();
  return server;
}

/** The deviations of a server from the tables, one per line, and the number of requests. */
export async function deviationsOf(
  server: HalyardServer,
  mode: Mode,
  { isAsked = () => true }: { readonly isAsked?: (cell: Cell) => boolean } = {},
): Promise<{ readonly asked: number; readonly deviations: readonly string[] }> {
  const cells = allCells.filter(isAsked);
  const { stackTraceLimit } = Error;
  // Most requests are refused with an error, and its stack would take longer than the rest of the
  // request.
  Error.stackTraceLimit = 0;
  try {
    const found = await inParallel(cells, async (cell) => {
      const { method, name, row } = cell;
      const expected = expectedIn(cell, mode);
      const seen = seenOf(await ask(server, cell), method, row.kind);
      return seen === expected ? [] : [`${method} ${row.url}, ${name}: ${seen}, not ${expected}`];
    });
    return { asked: cells.length, deviations: found.flat() };
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const outcomes = readCredentials();

function expectedIn({ method, name, row }: Cell, mode: Mode): string {
  const column = mode.requirementOf(row);
  const isUnguarded = mode.auth === undefined || column === 'open';
  if (isUnguarded && method !== 'GET' && method !== 'HEAD' && fromAnotherSite.has(name)) return 'status 403';
  const credentials = mode.hasNoKey === true ? (asWrongKey[name] ?? name) : name;
  return expectedOutcome(column === 'open' ? 'anyone' : outcomes.get(credentials)?.[column], row, method);
}

/** The outcome that a cell of the table describes. */
function expectedOutcome(cell: string | undefined, { kind }: Row, method: string): string {
  const [production = 'nothing in the table', elsewhere = production] = cell?.split('|') ?? [];
  const outcome = isProduction() ? production : elsewhere;
  const letter = outcome === 'S' && kind === 'ours' ? 'T' : outcome;
  if (['A', 'T', 'C'].includes(letter)) return refusal(letter, method);
  if (kind === 'nothing') return 'not there';
  if (kind === 'files' || method === 'HEAD') return 'let in';
  return letter === 'S' ? 'anyone' : letter;
}

/** A reply to HEAD has no text. It shows only whether a token is requested. */
function refusal(letter: string, method: string): string {
  return method === 'HEAD' && letter !== 'C' ? 'A or T' : letter;
}

function ask(server: HalyardServer, { method, name, row }: Cell): Promise<LightMyRequestResponse> {
  const { headers, query } = carried[name] ?? {};
  const path = row.url.replaceAll(/:\w+/g, 'x1');
  return server.app.inject({
    method: method as 'GET',
    url: query === undefined ? path : `${path}?${query}`,
    ...(headers !== undefined && { headers }),
  });
}

const letters: Readonly<Record<string, string>> = {
  'Authentication required': 'A',
  'Invalid or expired token': 'T',
  'Console access required': 'C',
};

function seenOf({ body, headers, statusCode }: LightMyRequestResponse, method: string, kind: Row['kind']): string {
  const wantsToken = headers['www-authenticate'] === 'Bearer';
  if (statusCode === 401) {
    if (method === 'HEAD') return wantsToken ? 'A or T' : 'C';
    const { error } = JSON.parse(body) as { error: string };
    const letter = letters[error] ?? error;
    return wantsToken === (letter !== 'C') ? letter : `${letter} with the wrong WWW-Authenticate`;
  }
  if (statusCode === 404 && headers['x-error-code'] === 'ROUTE_NOT_FOUND') return 'not there';
  if (statusCode !== 200) return `status ${statusCode}`;
  if (kind === 'files' || method === 'HEAD') return 'let in';
  return (JSON.parse(body) as { data: string }).data;
}
