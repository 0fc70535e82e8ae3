import { readRoutes, routeTable } from '../../../../../packages/server-fastify/src/testing/access-tables.ts';
import { claiming, type Place, places } from '../../../../access/src/ownership/claims.ts';
import type { OwnershipCase } from '../../../../access/src/ownership/ownership-case.ts';
import { ownershipCases, refusals } from '../../../../access/src/ownership/ownership-cases.ts';
import type { Thing } from '../../../../access/src/ownership/things.ts';
import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { Attack } from '../harness/attack.ts';
import type { Target } from '../harness/target.ts';
import { mcpFindings, socketFindings } from './other-protocols.ts';
import { makeThing, markers, type OwnedReply, sendOwned, snapshotOf } from './things.ts';

/** A developer with the console key may read the data of all users. */
const ofUsers = new Set(
  readRoutes(routeTable)
    .filter(({ policy }) => policy === 'user')
    .map(({ method, url }) => `${method} ${url}`),
);

/**
 * Bob requests everything that Ada has, and claims to be Ada in every field that may name a user.
 */
export const crossUser: Attack = {
  name: 'cross-user',
  summary: "each operation about Ada's data, called by Bob: in paths, queries, bodies, WebSockets and MCP",
  plants: { 'borrowed-identity': /reveals|200, not 404/ },
  run: async ({ bySize, open, random, size }) => {
    const target = await open();
    const [ada, bob] = [target.userIdOf('ada'), target.userIdOf('bob')];
    if (ada === undefined || bob === undefined || ada === bob)
      return { count: '0 attempts', findings: [], missing: '--token and --other-token: JSON Web Tokens of two users' };
    if (!target.isOwn && !(await hasMemory(target)))
      return { count: '0 attempts', findings: [], missing: 'a memory that both tokens may use' };
    const cases = ownershipCases.filter(({ route, thing }) => ofUsers.has(route) && thing !== 'nothing');
    // Another server may not have the agents and workflows that the other operations call.
    const inMemory = cases.filter(
      ({ route, thing }) => route.includes('/api/memory/') && (thing === 'conversation' || thing === 'user'),
    );
    const hasSearch = target.isOwn || (await canSearch(target));
    const wanted = (size === 'planted' || !target.isOwn ? inMemory : cases).filter(
      ({ route }) => hasSearch || !route.includes('/search'),
    );
    const claims = bySize({ planted: 1, short: 6, long: places.length });
    const findings: string[] = [];
    let count = 0;
    for (const ask of wanted) {
      const result = await attackCase(target, ask, someOf(places, claims, random));
      count += result.count;
      findings.push(...result.findings);
    }
    if (size !== 'planted' && target.isOwn) {
      const mcp = await mcpFindings(target);
      const sockets = await socketFindings(await open({ mode: 'legacy' }));
      count += mcp.count + sockets.count;
      findings.push(...mcp.findings, ...sockets.findings);
    }
    return { count: `${count} attempts, ${wanted.length} operations and fields`, findings };
  },
};

/** The user of the route, and some of the fields. */
function someOf(all: readonly Place[], wanted: number, random: SeededRandom): readonly (Place | undefined)[] {
  const rest = [...all];
  const chosen: (Place | undefined)[] = [undefined];
  while (chosen.length <= wanted && rest.length > 0) {
    const place = random.pick(rest);
    rest.splice(rest.indexOf(place), 1);
    chosen.push(place);
  }
  return chosen;
}

async function attackCase(
  target: Target,
  ask: OwnershipCase,
  claims: readonly (Place | undefined)[],
): Promise<{ readonly count: number; readonly findings: readonly string[] }> {
  const findings: string[] = [];
  let count = 0;
  if (target.isOwn) await clear(target);
  const thing = await makeThing(target, ask.thing, 'ada');
  const before = await snapshotOf(target, 'ada');
  for (const place of claims) {
    if (ask.refusesFields === true && place?.startsWith('body.') === true) continue;
    const request = claimed(target, ask, thing, place);
    if (request === undefined) continue;
    count += 1;
    const title = `${ask.route} about ${ask.thing} by ${ask.by.join()}, ${place ?? 'no user named'}`;
    const report = (what: string) => findings.push(`${title}: ${what}`);
    const reply = await sendOwned(target, ask.route, 'bob', request);
    const expected = isRefused(ask, place) ? 403 : ask.others;
    if (reply.status !== expected) report(`${reply.status}, not ${expected}: ${reply.body.slice(0, 200)}`);
    if (markers.some((marker) => reply.body.includes(marker)))
      report(`reveals Ada's data: ${reply.body.slice(0, 300)}`);
    if ((await snapshotOf(target, 'ada')) !== before) report("changes Ada's data");
    if (ask.revealsIdInUse === true || ask.hasNewId === true || ask.by.length === 0) continue;
    const unknown = unknownLike(thing);
    const other = await sendOwned(target, ask.route, 'bob', claimed(target, ask, unknown, place) ?? {});
    if (hidden(reply, thing) !== hidden(other, unknown))
      report(`not as for unknown data: ${hidden(reply, thing)} ${hidden(other, unknown)}`);
  }
  // The data of a user of another server is not the attacker's to delete.
  if (ask.thing === 'user' && !target.isOwn) return { count, findings };
  // The attempts would have shown something.
  const own = await sendOwned(target, ask.route, 'ada', ask.request(thing));
  if (own.status !== ask.own)
    findings.push(`${ask.route} about ${ask.thing}: ${own.status} for Ada, not ${ask.own}: ${own.body.slice(0, 300)}`);
  if (!target.isOwn)
    await sendOwned(target, 'DELETE /api/memory/conversations/:conversationId', 'ada', {
      params: { conversationId: thing.id },
    });
  return { count, findings };
}

async function hasMemory(target: Target): Promise<boolean> {
  const lists = await Promise.all(
    (['ada', 'bob'] as const).map((user) => sendOwned(target, 'GET /api/memory/conversations', user, {})),
  );
  return lists.every(({ status }) => status === 200);
}

async function canSearch(target: Target): Promise<boolean> {
  const query = { searchQuery: 'roses' };
  return (await sendOwned(target, 'GET /api/memory/search', 'ada', { query })).status === 200;
}

async function clear(target: Target): Promise<void> {
  for (const user of ['ada', 'bob'] as const)
    await sendOwned(target, 'DELETE /api/memory/users/:userId', user, { params: { userId: user } });
}

function claimed(target: Target, ask: OwnershipCase, thing: Thing, place: Place | undefined) {
  const request = ask.request(thing);
  return place === undefined ? request : claiming(request, place, target.userIdOf('ada') ?? '');
}

function isRefused({ by, route }: OwnershipCase, place: Place | undefined): boolean {
  return by[0] !== 'params.userId' && place !== undefined && (refusals[route] ?? []).includes(place);
}

/** Data that nobody has: ids of the same length, and invalid signatures. */
function unknownLike({ asked, id, inner }: Thing): Thing {
  const other = (text: string): string =>
    text.startsWith('thing-') ? text.replace('thing', 'noone') : 'z'.repeat(text.length);
  return {
    id: other(id),
    inner: other(inner),
    asked: asked.map((call) => ({
      ...call,
      approvalId: call.approvalId.replace(id, other(id)),
      signature: other(call.signature),
    })),
  };
}

function hidden({ body, status }: OwnedReply, { id, inner }: Thing): string {
  const text = `${status} ${body.replaceAll(id, 'ID')}`;
  return inner === '' ? text : text.replaceAll(inner, 'INNER');
}
