import {
  otherTable,
  readCredentials,
  readRoutes,
  type RouteRow,
  routeTable,
} from '../../../../../packages/server-fastify/src/testing/access-tables.ts';
import type { Attack } from '../harness/attack.ts';
import { type Received, send } from '../harness/http-client.ts';
import { envelopeFault } from '../harness/reply-faults.ts';
import type { Target, TargetSettings } from '../harness/target.ts';
import { upgradeStatus } from '../harness/upgrade.ts';
import { answersHead } from '../input/route-model.ts';
import { type Carried, credentialsOf, fromAnotherSite, socketCredentialsOf } from './credentials.ts';

interface Setting extends TargetSettings {
  readonly mode: 'policy' | 'legacy' | 'none';
  readonly environment: 'production' | 'development';
}

const settings: readonly Setting[] = [
  { mode: 'policy', environment: 'production' },
  { mode: 'legacy', environment: 'production' },
  { mode: 'none', environment: 'development' },
  { mode: 'policy', environment: 'development' },
  { mode: 'legacy', environment: 'development' },
  { mode: 'none', environment: 'production' },
];
/** Contains nothing of a user, so that a valid token without a user is enough. */
const impersonal = '/metrics';
/** The routes of an app, which the target does not have. */
const ofApps = /^\/mine/;
const lanes = 8;

/** Sends every credential to every operation, and compares who is let in with the contract. */
export const matrix: Attack = {
  name: 'matrix',
  summary: 'every operation with every kind of credential, in every mode of access',
  plants: { 'open-tools': /\/tools\/:name\/execute.*let in/ },
  run: async ({ bySize, open, server }) => {
    const findings: string[] = [];
    let count = 0;
    const chosen = settings.slice(0, bySize({ planted: 1, short: 4, long: 6 }));
    for (const setting of server === undefined ? chosen : [await settingOf(await open())]) {
      const target = await open(setting);
      const waiting = cellsOf(target, setting);
      count += waiting.length;
      const attack = async (): Promise<void> => {
        for (let cell = waiting.pop(); cell !== undefined; cell = waiting.pop()) {
          const fault = await faultOf(target, setting, cell);
          if (fault !== undefined)
            findings.push(
              `${setting.mode}, ${setting.environment}: ${cell.method} ${cell.row.url}, ${cell.name}: ${fault}`,
            );
        }
      };
      await Promise.all(Array.from({ length: lanes }, attack));
      const sockets = await socketFaults(target, setting);
      count += sockets.count;
      findings.push(...sockets.faults);
      await target.close();
    }
    return { count: `${count} cells`, findings };
  },
};

/**
 * The setting of another server, by what it answers without credentials. Routes that its app has
 * opened or closed are findings.
 */
async function settingOf(target: Target): Promise<Setting> {
  const probe = { method: 'GET', path: '/observability/status' };
  const seen = seenIn(await send(target, probe), 'GET');
  const asDeveloper = await send(target, { ...probe, headers: { 'x-service-dev': 'true' } });
  return {
    mode: seen === 'C' ? 'policy' : seen === 'A' ? 'legacy' : 'none',
    environment: seen === 'let in' || asDeveloper.status !== 401 ? 'development' : 'production',
  };
}

interface Cell {
  readonly method: string;
  readonly row: RouteRow;
  readonly name: string;
  readonly carried: Carried;
  /** The callers that are let in: an outcome of the tables. */
  readonly outcome: string;
  readonly exists: boolean;
}

function cellsOf(target: Target, { environment, mode }: Setting): Cell[] {
  const credentials = Object.entries(credentialsOf(target));
  const table = readCredentials();
  const ours = readRoutes(routeTable).map((row) => ({ row, exists: true }));
  const others = readRoutes(otherTable).map((row) => ({
    row,
    exists: row.method === 'GET' && row.url.startsWith('/ui'),
  }));
  return (
    [...ours, ...others]
      // Another server may not have the explorer.
      .filter(({ row }) => !ofApps.test(row.url) && (target.isOwn || !row.url.startsWith('/ui')))
      .flatMap(({ exists, row }) =>
        methodsOf(row).flatMap((method) =>
          credentials.map(([name, carried]): Cell => {
            const cell = table.get(carried.row)?.[columnOf(row, mode)] ?? 'nothing in the table';
            const [production = '', elsewhere = production] = cell.split('|');
            return {
              method,
              row,
              name,
              carried,
              exists,
              outcome: environment === 'production' ? production : elsewhere,
            };
          }),
        ),
      )
  );
}

function methodsOf({ method, url }: RouteRow): readonly string[] {
  return method === 'GET' && answersHead(url) ? ['GET', 'HEAD'] : [method];
}

function columnOf({ legacy, policy, url }: RouteRow, mode: Setting['mode']): string {
  if (mode === 'none') return 'public';
  if (mode === 'policy') return policy;
  // In the tables, an app has made it public.
  if (url === '/tools/:name/execute') return 'user';
  return legacy === 'rest' || legacy === 'nowhere' ? 'public' : legacy;
}

async function faultOf(target: Target, { mode }: Setting, cell: Cell): Promise<string | undefined> {
  const { carried, exists, method, outcome, row } = cell;
  const { headers = {}, query } = carried;
  const path = `${row.url.replaceAll(/:\w+/g, 'x1')}${query === undefined ? '' : `?${query}`}`;
  const reply = await send(target, { method, path, headers, body: bodyOf(cell) });
  // The limit of rejected credentials refuses, too.
  if (!target.isOwn && reply.status === 429) return undefined;
  const seen = seenIn(reply, method);
  // Another server may lack the part that the route belongs to.
  if (!target.isOwn && seen === 'not there') return undefined;
  const expected = isForeign(mode, cell)
    ? 'from another site'
    : expectedOutcome(outcome === 'S' && row.url === impersonal ? 'let in' : outcome, method, exists);
  // A handler refuses a token without a user, after the input was validated.
  const isRefusedLater = outcome === 'S' && exists && seen === 'let in' && reply.status >= 400;
  if (seen !== expected && !isRefusedLater) return `${seen}, not ${expected}`;
  const received = new Map(Object.entries(reply.headers).map(([header, value]) => [header, String(value)]));
  return envelopeFault({ status: reply.status, headers: received, body: reply.body }, method);
}

/** The console key resumes only what the request names. */
function bodyOf({ method, row }: Cell): string | undefined {
  if (method !== 'POST' && method !== 'PATCH') return undefined;
  return row.url.endsWith('/resume') ? '{"options":{"suspensionId":"x1"}}' : '{}';
}

/**
 * Whether a request is refused because a page of another site sent it, and not for want of
 * credentials.
 */
function isForeign(mode: Setting['mode'], { method, name, outcome, row }: Cell): boolean {
  if (!fromAnotherSite.has(name) || ['A', 'T', 'C'].includes(outcome)) return false;
  // The Model Context Protocol requires the check of every request, and its metadata have the same
  // guards.
  if (row.url === '/mcp/:serverId' || row.url.startsWith('/.well-known/oauth-protected-resource')) return true;
  const isUnguarded = mode === 'none' || (mode === 'legacy' && row.legacy === 'rest');
  return isUnguarded && method !== 'GET' && method !== 'HEAD';
}

function expectedOutcome(outcome: string, method: string, exists: boolean): string {
  const letter = outcome === 'S' && exists ? 'T' : outcome;
  if (!['A', 'T', 'C'].includes(letter)) return exists ? 'let in' : 'not there';
  return method === 'HEAD' && letter !== 'C' ? 'A or T' : letter;
}

const letters: Readonly<Record<string, string>> = {
  'Authentication required': 'A',
  'Invalid or expired token': 'T',
  'Console access required': 'C',
};

function seenIn({ body, headers, status }: Received, method: string): string {
  if (status === 401) {
    if (method === 'HEAD') return headers['www-authenticate'] === 'Bearer' ? 'A or T' : 'C';
    const { error } = JSON.parse(body) as { readonly error: string };
    return letters[error] ?? error;
  }
  if (status === 404 && headers['x-error-code'] === 'ROUTE_NOT_FOUND') return 'not there';
  return headers['x-error-code'] === 'ORIGIN_NOT_ALLOWED' ? 'from another site' : 'let in';
}

/** The callers that may open a channel, by mode. */
const channels: Readonly<Record<Setting['mode'], Readonly<Record<string, readonly string[]>>>> = {
  policy: { '/ws': ['key'], '/ws/approvals': ['key', 'token'], '/ws/logs': ['key'], '/ws/observability': ['key'] },
  legacy: {
    '/ws': ['anyone'],
    '/ws/approvals': ['token'],
    '/ws/logs': ['key', 'token'],
    '/ws/observability': ['key', 'token'],
  },
  none: { '/ws': ['anyone'], '/ws/approvals': ['anyone'], '/ws/logs': ['anyone'], '/ws/observability': ['anyone'] },
};

async function socketFaults(
  target: Target,
  { environment, mode }: Setting,
): Promise<{ readonly count: number; readonly faults: readonly string[] }> {
  const faults: string[] = [];
  let count = 0;
  for (const [path, allowed] of Object.entries(channels[mode])) {
    for (const [name, { headers = {}, query }, kind] of socketCredentialsOf(target)) {
      // Every server refuses sockets of pages of other sites.
      if (headers['origin'] !== undefined && allowed.includes('anyone')) continue;
      count += 1;
      const status = await upgradeStatus(target, query === undefined ? path : `${path}?${query}`, headers);
      const isDev = kind === 'dev' && environment === 'development';
      const expected = allowed.includes('anyone') || allowed.includes(kind) || isDev ? 101 : 401;
      if (status !== expected && !(expected === 401 && headers['origin'] !== undefined && status === 403))
        faults.push(`${mode}, ${environment}: WebSocket ${path}, ${name}: ${status}, not ${expected}`);
    }
  }
  return { count, faults };
}
