import { vi } from 'vitest';
import { type OwnedRequest, type Reply, send } from '../../../../packages/server-fastify/src/testing/owned-request.ts';
import { claiming, type Place, places } from './claims.ts';
import type { OwnershipCase } from './ownership-case.ts';
import { refusals } from './ownership-cases.ts';
import { make, type Thing, unknownLike } from './things.ts';
import { secret, secretNumbers, type World } from './world.ts';

/**
 * The failures of one request, one per line: Bob can access data of Ada, or an owner cannot access
 * their own data.
 */
export async function violations(
  world: World,
  ask: OwnershipCase,
  allClaims: readonly Place[] = places,
): Promise<readonly string[]> {
  await world.clear();
  const claims = ask.refusesFields === true ? allClaims.filter((place) => !place.startsWith('body.')) : allClaims;
  return [
    ...(ask.thing === 'nothing' ? [] : await strangers(world, ask, claims)),
    ...(await owners(world, ask, claims)),
    ...(await anonymous(world, ask)),
  ];
}

/** Bob requests data of Ada and claims to be Ada in each field in turn. Then Ada requests it. */
async function strangers({ origin, snapshot }: World, ask: OwnershipCase, claims: readonly Place[]): Promise<string[]> {
  const found: string[] = [];
  const without = isList(ask) ? await send(origin, ask.route, 'bob', ask.request(nothing)) : undefined;
  const thing = await make(ask.thing, origin, 'ada');
  const before = await snapshot('ada');
  for (const place of [undefined, ...claims]) {
    const request = claimed(ask.request(thing), place);
    if (request === undefined) continue;
    const report = (what: string) => found.push(`${title(ask)}, ${place ?? 'no user named'}: ${what}`);
    const reply = await send(origin, ask.route, 'bob', request);
    const expected = isRefused(ask, place) ? 403 : ask.others;
    if (reply.status !== expected) report(`${reply.status} for another’s, not ${expected}: ${reply.text}`);
    if (leaks(reply)) report(`reveals a secret: ${reply.text}`);
    if ((await snapshot('ada')) !== before) report('changes another user’s data');
    if (ask.revealsIdInUse === true || ask.hasNewId === true) continue;
    const unknown = unknownLike(thing);
    const other = await send(origin, ask.route, 'bob', claimed(ask.request(unknown), place) ?? {});
    const [theirs, nobodys] = [hide(reply, thing), hide(other, unknown)];
    if (theirs !== nobodys) report(`not as unknown: ${theirs} ${nobodys}`);
    if (without !== undefined && expected === 200 && reply.bytes !== without.bytes)
      report(`a different reply than before: ${reply.bytes} ${without.bytes}`);
  }
  const reply = await send(origin, ask.route, 'ada', ask.request(thing));
  if (reply.status !== ask.own)
    found.push(`${title(ask)}: ${reply.status} for the owner, not ${ask.own}: ${reply.text}`);
  await untilDone(origin, ask, 'ada', thing);
  if (isList(ask) && !leaks(reply)) found.push(`${title(ask)}: does not return the owner’s data: ${reply.text}`);
  return found;
}

/** Bob requests his own data and claims to be Ada. */
async function owners({ origin, snapshot }: World, ask: OwnershipCase, claims: readonly Place[]): Promise<string[]> {
  const found: string[] = [];
  const before = await snapshot('ada');
  for (const place of [undefined, ...claims]) {
    if (claimed(ask.request(nothing), place) === undefined) continue;
    const thing = await make(ask.thing, origin, 'bob');
    const report = (what: string) => found.push(`${title(ask)}, ${place ?? 'no user named'}, own data: ${what}`);
    const [mine, reads] = [await snapshot('bob'), claimed(ask.request(thing), place) ?? {}];
    const reply = await send(origin, ask.route, 'bob', reads);
    await untilDone(origin, ask, 'bob', thing);
    const expected = isRefused(ask, place) ? 403 : ask.own;
    if (reply.status !== expected) report(`${reply.status}, not ${expected}: ${reply.text}`);
    if (leaks(reply)) report(`reveals a secret: ${reply.text}`);
    if (withoutPaid(await snapshot('ada')) !== withoutPaid(before)) report('changes another user’s data');
    if (expected === 403 && (await snapshot('bob')) !== mine) report('is refused, but does something');
    if (isRefused(ask, place)) {
      const own = claiming(ask.request(thing), place ?? 'query.userId', 'bob') ?? {};
      const named = await send(origin, ask.route, 'bob', own);
      if (named.status !== ask.own) report(`${named.status} for a user who names themselves: ${named.text}`);
    }
  }
  return found;
}

/** Waits for what goes on after the reply, so that it does not change what is compared later. */
async function untilDone(origin: string, { done }: OwnershipCase, user: string, thing: Thing): Promise<void> {
  if (done === undefined) return;
  await vi.waitUntil(async () => done.isDone(await send(origin, done.route, user, done.request(thing))), {
    timeout: 120_000,
  });
}

/** Without a verified user, the user of the request counts. */
async function anonymous({ origin, snapshot }: World, ask: OwnershipCase): Promise<string[]> {
  const found: string[] = [];
  const named = refusals[ask.route] ?? [];
  for (const place of [undefined, ...named] as (Place | undefined)[]) {
    const thing = await make(ask.thing, origin, 'ada');
    const as = (user: string): OwnedRequest | undefined =>
      place === undefined ? ask.request(thing) : claiming(ask.request(thing), place, user);
    const report = (what: string) =>
      found.push(`${title(ask)}, ${place ?? 'no user named'}, no user verified: ${what}`);
    const [other, own] = [as('bob'), as('ada')];
    if (other === undefined || own === undefined) continue;
    const isAboutOne = ask.by.length > 0 && ask.own < 400 && !ask.route.includes('/search');
    if (place !== undefined && isAboutOne) {
      const before = await snapshot('ada');
      const reply = await send(origin, ask.route, undefined, other);
      if (reply.status !== 400) report(`${reply.status} for another’s, not 400: ${reply.text}`);
      if ((await snapshot('ada')) !== before) report('changes another user’s data');
    }
    const reply = await send(origin, ask.route, undefined, own);
    if (reply.status === ask.own) await untilDone(origin, ask, 'ada', thing);
    const { anonymous: unnamed = ask.own } = ask;
    const expected = place === undefined ? unnamed : ask.own;
    // The route decides which of the fields is required.
    if (reply.status !== expected && !(place?.startsWith('query') && reply.status === unnamed))
      report(`${reply.status}, not ${expected}: ${reply.text}`);
  }
  return found;
}

const nothing = { id: 'x', inner: 'x', asked: [] };

function claimed(request: OwnedRequest, place: Place | undefined): OwnedRequest | undefined {
  return place === undefined ? request : claiming(request, place, 'ada');
}

function isRefused({ by, route }: OwnershipCase, place: Place | undefined): boolean {
  return by[0] === 'params.userId' ? false : place !== undefined && (refusals[route] ?? []).includes(place);
}

function isList({ by, thing }: OwnershipCase): boolean {
  return by.length === 0 && (thing === 'conversation' || thing === 'execution' || thing === 'trace');
}

function leaks({ text }: Reply): boolean {
  return text.includes(secret) || secretNumbers.some((number) => text.includes(number));
}

function hide({ bytes }: Reply, { id, inner }: { readonly id: string; readonly inner: string }): string {
  const hidden = bytes.replaceAll(id, 'ID');
  return inner === '' ? hidden : hidden.replaceAll(inner, 'INNER');
}

/** Bob may pay. */
function withoutPaid(snapshot: string): string {
  return snapshot.replace(/,\d+\]$/, '');
}

function title({ by, route, thing }: OwnershipCase): string {
  return `${route} about ${thing}${by.length > 0 ? ` by ${by.join()}` : ''}`;
}
