import type { Job } from '@halyard/contracts';
import type { ObjectContext } from '@restatedev/restate-sdk';
import { call, send } from './calls.ts';
import type { EngineClock } from './engine-clock.ts';
import { fromKey, toKey } from './object-key.ts';
import type { ChannelHandlers, InputsOf, OutputsOf, StoredEvent } from './protocol.ts';

type Inputs = InputsOf<ChannelHandlers>;

/** The events of one name and key, and the executions that wait for them. */
export class ChannelObject {
  readonly #clock: EngineClock;

  constructor(clock: EngineClock) {
    this.#clock = clock;
  }

  async publish(
    ctx: ObjectContext,
    { id, keptMs, owner, payload, requestId }: Inputs['publish'],
  ): Promise<OutputsOf<ChannelHandlers>['publish']> {
    const requestKey = `request:${toKey(JSON.stringify([owner === 'anyone' ? null : owner.user, requestId]))}`;
    const earlier = await ctx.get<string>(requestKey);
    if (earlier !== null) return { eventId: earlier, deliveries: [] };
    const event = { id, channel: fromKey(ctx.key), payload, publisher: owner, publishedAt: await this.#clock.now(ctx) };
    ctx.set(requestKey, id);
    ctx.set(eventKey(id), event);
    ctx.set('events', [...(await readIds(ctx, 'events')), id]);
    const deliveries: Job[] = [];
    const waiting: string[] = [];
    for (const rootId of await readIds(ctx, 'waiting')) {
      const { isWaiting, job } = await call(ctx, 'execution', rootId, 'receive', event);
      if (job !== null) deliveries.push(job);
      if (isWaiting) waiting.push(rootId);
    }
    ctx.set('waiting', waiting);
    send(ctx, 'channel', event.channel, 'expire', { eventId: id, requestKey }, keptMs);
    return { eventId: id, deliveries };
  }

  /** An execution has begun to wait: it receives the events that came before. */
  async wait(ctx: ObjectContext, { rootId }: Inputs['wait']): Promise<void> {
    const waiting = (await readIds(ctx, 'waiting')).filter((id) => id !== rootId);
    let isWaiting = true;
    for (const id of await readIds(ctx, 'events')) {
      const event: StoredEvent | null = isWaiting ? await ctx.get<StoredEvent>(eventKey(id)) : null;
      if (event === null) continue;
      isWaiting = (await call(ctx, 'execution', rootId, 'receive', event)).isWaiting;
    }
    if (isWaiting) waiting.push(rootId);
    ctx.set('waiting', waiting);
  }

  async expire(ctx: ObjectContext, { eventId, requestKey }: Inputs['expire']): Promise<void> {
    const events = (await readIds(ctx, 'events')).filter((id) => id !== eventId);
    ctx.clear(eventKey(eventId));
    ctx.clear(requestKey);
    if (events.length === 0) ctx.clear('events');
    else ctx.set('events', events);
  }
}

function eventKey(id: string): string {
  return `event:${toKey(id)}`;
}

async function readIds(ctx: ObjectContext, name: 'events' | 'waiting'): Promise<readonly string[]> {
  return (await ctx.get<readonly string[]>(name)) ?? [];
}
