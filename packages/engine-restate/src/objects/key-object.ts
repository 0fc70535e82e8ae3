import type { ObjectContext } from '@restatedev/restate-sdk';
import { send } from './calls.ts';
import type { InputsOf, KeyHandlers, OutputsOf, Place } from './protocol.ts';

type Inputs = InputsOf<KeyHandlers>;

interface Member {
  readonly id: string;
  readonly since: number;
}

/** What executions with the same concurrency, singleton, debounce or throttle key share. */
export class KeyObject {
  async take(ctx: ObjectContext, place: Inputs['take']): Promise<boolean> {
    const { running, waiting } = await readPlaces(ctx);
    const others = waiting.filter(({ id }) => id !== place.id);
    const isHeld = running.includes(place.id);
    const isBehind = others.some((other) => other.definition === place.definition && comparePlaces(other, place) < 0);
    if (!isHeld && (running.length >= place.limit || isBehind)) {
      ctx.set('waiting', [...others, place]);
      return false;
    }
    ctx.set('waiting', others);
    if (!isHeld) ctx.set('running', [...running, place.id]);
    return true;
  }

  /** Gives the place to those that wait: the highest priority first, then the longest wait. */
  async free(ctx: ObjectContext, { id }: Inputs['free']): Promise<void> {
    const places = await readPlaces(ctx);
    const running = places.running.filter((other) => other !== id);
    const waiting = places.waiting.filter((other) => other.id !== id).toSorted(comparePlaces);
    for (let [next] = waiting; next !== undefined && running.length < next.limit; [next] = waiting) {
      waiting.shift();
      running.push(next.id);
      send(ctx, 'execution', next.id, 'wake', undefined);
    }
    if (running.length + waiting.length === 0) return ctx.clearAll();
    ctx.set('running', running);
    ctx.set('waiting', waiting);
  }

  async enter(
    ctx: ObjectContext,
    { id, onlyIfEmpty, since }: Inputs['enter'],
  ): Promise<OutputsOf<KeyHandlers>['enter']> {
    const members = await readMembers(ctx);
    // It continues the delay of those that it replaces.
    const first = Math.min(since, ...members.map((member) => member.since));
    const isBusy = members.some((member) => member.id !== id);
    if (!(isBusy && onlyIfEmpty) && !members.some((member) => member.id === id))
      ctx.set('members', [...members, { id, since: first }]);
    return { isBusy, since: first };
  }

  async leave(ctx: ObjectContext, { id }: Inputs['leave']): Promise<void> {
    const members = (await readMembers(ctx)).filter((member) => member.id !== id);
    if (members.length === 0) ctx.clear('members');
    else ctx.set('members', members);
  }

  async before(ctx: ObjectContext, { id }: Inputs['before']): Promise<readonly string[]> {
    const ids = (await readMembers(ctx)).map((member) => member.id);
    return ids.includes(id) ? ids.slice(0, ids.indexOf(id)) : ids;
  }

  async throttle(ctx: ObjectContext, { dueAt, limit, periodMs }: Inputs['throttle']): Promise<number> {
    const starts = (await ctx.get<readonly number[]>('starts')) ?? [];
    const earliest = (starts.toSorted((one, other) => other - one)[limit - 1] ?? -Infinity) + periodMs;
    const start = Math.max(dueAt, earliest);
    ctx.set('starts', [...starts, start].toSorted((one, other) => other - one).slice(0, limit));
    return start;
  }
}

async function readPlaces(
  ctx: ObjectContext,
): Promise<{ readonly running: readonly string[]; readonly waiting: readonly Place[] }> {
  return {
    running: (await ctx.get<readonly string[]>('running')) ?? [],
    waiting: (await ctx.get<readonly Place[]>('waiting')) ?? [],
  };
}

async function readMembers(ctx: ObjectContext): Promise<readonly Member[]> {
  return (await ctx.get<readonly Member[]>('members')) ?? [];
}

function comparePlaces(one: Place, other: Place): number {
  return other.priority - one.priority || one.waitingSince - other.waitingSince;
}
