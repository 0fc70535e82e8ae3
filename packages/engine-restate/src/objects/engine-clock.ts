import type { ObjectSharedContext } from '@restatedev/restate-sdk';

/** The time of the handlers. Restate records it, so that a repeated attempt reads the same one. */
export interface EngineClock {
  /** Milliseconds since the epoch. */
  now(ctx: ObjectSharedContext): Promise<number>;
}

export const engineClock: EngineClock = { now: (ctx) => ctx.date.now() };
