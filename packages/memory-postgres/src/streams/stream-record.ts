import type { LiveStream } from '@halyard/contracts';
import { fromText, toText } from '../connection/text-codec.ts';

/** A live stream as functions of the database tell it. */
export type StreamRow = readonly [
  id: string,
  agentId: string,
  conversationId: string,
  owner: string,
  startedAt: number,
];

/** A row of chunks; null: there are none. */
export interface StoredChunks {
  readonly upto: number | null;
  /** JSON: a list of texts. */
  readonly chunks: string | null;
}

export function fromStreamRow([id, agentId, conversationId, owner, startedAt]: StreamRow): LiveStream {
  return {
    id: fromText(id),
    agentId: fromText(agentId),
    conversationId: fromText(conversationId),
    userId: owner === '' ? undefined : fromText(owner.slice(1)),
    startedAt,
  };
}

/** Whose it is, as one text that is never null: one index keeps users apart, and what is nobody's. */
export function streamOwner(userId: string | undefined): string {
  return userId === undefined ? '' : `=${toText(userId)}`;
}

/** Chunks after the first `after`, `limit` at most. @param rows in their order; one may begin with what another ends with. */
export function joinedChunks(rows: readonly StoredChunks[], after: number, limit: number): readonly string[] {
  const joined: string[] = [];
  for (const { chunks, upto } of rows) {
    if (upto === null || chunks === null) break;
    const list = JSON.parse(chunks) as readonly string[];
    const known = after + joined.length - (upto - list.length);
    for (const chunk of list.slice(known)) {
      if (joined.length >= limit) return joined;
      joined.push(chunk);
    }
  }
  return joined;
}
