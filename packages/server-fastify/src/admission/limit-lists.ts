import { callerKey } from '../access/identity.ts';
import type { EventBatches, Stream } from '../define/define-stream.ts';
import type { AnyEndpoint } from '../define/endpoint.ts';
import type { CallerQueue } from './caller-queue.ts';

/**
 * An endpoint that reads lists, whose handler waits for other lists of its caller. Other endpoints
 * are returned unchanged.
 */
export function limitLists(endpoint: AnyEndpoint, lists: CallerQueue): AnyEndpoint {
  if (endpoint.readsList !== true) return endpoint;
  switch (endpoint.kind) {
    case 'route':
      return {
        ...endpoint,
        handler: (call, services) => lists.run(callerKey(call.caller), call, () => endpoint.handler(call, services)),
      };
    case 'stream':
      return limitStream(endpoint, lists);
    default:
      return endpoint;
  }
}

/**
 * Each batch of a stream waits by itself: a client that reads slowly does not keep other lists of
 * the same caller waiting.
 */
function limitStream(stream: Stream, lists: CallerQueue): Stream {
  return {
    ...stream,
    handler: async (call, services) => {
      const caller = callerKey(call.caller);
      const queued = <Result>(work: () => Promise<Result>): Promise<Result> => lists.run(caller, call, work);
      const events = await queued(() => stream.handler(call, services));
      return events && queuedBatches(events, queued);
    },
  };
}

async function* queuedBatches<Event>(
  events: EventBatches<Event>,
  queued: <Result>(work: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<readonly Event[], void, undefined> {
  const batches = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await queued(() => batches.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await batches.return?.();
  }
}
