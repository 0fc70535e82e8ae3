import { callerKey } from '../../access/identity.ts';
import type { EventBatches, Stream } from '../../define/define-stream.ts';
import type { AnyEndpoint } from '../../define/endpoint.ts';
import type { CallerTurns } from '../../lifecycle/caller-turns.ts';

/** An endpoint that reads lists, whose handler waits for its turn among the lists of its caller. Other endpoints are returned unchanged. */
export function limitLists(endpoint: AnyEndpoint, lists: CallerTurns): AnyEndpoint {
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

/** Each batch of a stream has its own turn: a client that reads slowly does not keep others of the same caller waiting. */
function limitStream(stream: Stream, lists: CallerTurns): Stream {
  return {
    ...stream,
    handler: async (call, services) => {
      const caller = callerKey(call.caller);
      const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => lists.run(caller, call, work);
      const events = await inTurn(() => stream.handler(call, services));
      return events && batchesInTurn(events, inTurn);
    },
  };
}

async function* batchesInTurn<Event>(
  events: EventBatches<Event>,
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>,
): AsyncGenerator<readonly Event[], void, undefined> {
  const batches = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTurn(() => batches.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await batches.return?.();
  }
}
