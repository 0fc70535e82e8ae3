import { BytesInProgress, type CallerOf } from './bytes-in-progress.ts';
import { CallerQueue } from './caller-queue.ts';
import { CallerSlots } from './caller-slots.ts';
import type { ServerLimits } from './limits.ts';
import { Overload } from './overload.ts';

/** How much callers may do at the same time. `docs/limits.md` explains the limits. */
export interface Admission {
  readonly overload: Overload;
  /** Requests in progress, without streams. */
  readonly requests: CallerSlots;
  readonly bytes: BytesInProgress;
  readonly lists: CallerQueue;
  readonly streams: CallerSlots;
  /** Resumable replies, which count like streams, also while no client reads them. */
  readonly resumableReplies: CallerSlots;
  readonly webSockets: CallerSlots;
}

/** All callers together get as many slots as ten of them: enough for a process. */
const callersWithAll = 10;

export function createAdmission(
  limits: ServerLimits,
  {
    callerOf,
    overload = new Overload(limits.eventLoopDelayMs),
  }: { readonly callerOf: CallerOf; readonly overload?: Overload | undefined },
): Admission {
  const streams = {
    what: 'open streams',
    advice: 'close one first',
    code: 'TOO_MANY_STREAMS',
    perCaller: limits.streamsPerCaller,
    perProcess: callersWithAll * limits.streamsPerCaller,
  };
  return {
    overload,
    requests: new CallerSlots({
      what: 'requests in progress',
      advice: 'wait until one has ended',
      code: 'TOO_MANY_REQUESTS',
      perCaller: limits.requestsPerCaller,
      perProcess: callersWithAll * limits.requestsPerCaller,
    }),
    bytes: new BytesInProgress({ bytes: limits.bytesInProgress, callerOf }),
    lists: new CallerQueue(limits.listsPerCaller),
    streams: new CallerSlots(streams),
    resumableReplies: new CallerSlots(streams),
    webSockets: new CallerSlots({
      what: 'open WebSockets',
      advice: 'close one first',
      code: 'TOO_MANY_WEBSOCKETS',
      perCaller: limits.webSocketsPerCaller,
      perProcess: limits.webSocketsPerProcess,
    }),
  };
}
