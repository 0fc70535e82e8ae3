import type { Storage } from '@halyard/contracts';
import type { OpenSockets } from '../api/channels/open-sockets.ts';
import type { Services } from '../api/services.ts';
import type { OpenStreams } from '../api/streaming/open-streams.ts';
import type { RunningCalls } from '../runtime/lifecycle/running-calls.ts';
import type { ServerState } from '../runtime/metrics/server-metrics.ts';

interface ServerParts {
  readonly services: Pick<Services, 'memories' | 'storage' | 'workflows'>;
  readonly sockets: OpenSockets;
  readonly streams: OpenStreams;
  readonly work: RunningCalls;
}

/** The values that the metrics of a server read from its parts. */
export function readServerState({ services, sockets, streams, work }: ServerParts): ServerState {
  const { memories, storage, workflows } = services;
  const named = new Map<object, string>([[storage, 'storage']]);
  for (const memory of memories.all) {
    // Names are numbered, because memories have none.
    if (!named.has(memory.storage)) named.set(memory.storage, named.size === 1 ? 'memory' : `memory-${named.size}`);
  }
  const pooled = [...named].flatMap(([part, name]) => (hasConnections(part) ? [{ name, part }] : []));
  return {
    activeRequests: () => work.count,
    openStreams: () => streams.count,
    openWebSockets: () => sockets.count,
    workflowLoad: () => workflows.load,
    pools: () =>
      pooled.flatMap(({ name, part }) => {
        const connections = part.connections();
        return connections === undefined ? [] : [{ name, connections }];
      }),
  };
}

function hasConnections(part: object): part is Required<Pick<Storage, 'connections'>> {
  return 'connections' in part && typeof part.connections === 'function';
}
