import type { BeginOutcome, NewStream, StreamKey, StreamStore } from '@halyard/contracts';

export const leaseMs = 60_000;
export const place: StreamKey = { agentId: 'writer', conversationId: 'talk' };

/** Begins a stream of Ada's conversation `talk`, unless `values` name another. */
export function sampleStream(id: string, changes: Partial<NewStream> = {}): NewStream {
  return { id, ...place, userId: 'ada', ...changes };
}

export function begin(store: StreamStore, id: string, changes: Partial<NewStream> = {}): Promise<BeginOutcome> {
  return store.begin(sampleStream(id, changes), leaseMs);
}

/** The chunks `from` to `to` of a stream, both included. */
export function chunks(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => JSON.stringify({ chunk: from + index }));
}

/** The whole stream; undefined when it does not exist. */
export function whole(store: StreamStore, id: string): ReturnType<StreamStore['read']> {
  return store.read(id, { after: 0, limit: 10_000 });
}
