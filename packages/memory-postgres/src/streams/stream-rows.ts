import type { LiveStream } from '@halyard/contracts';
import { fromText, toText } from '../connection/text-codec.ts';

/** A row of `streams` as `row_to_json` returns it. */
export interface LiveStreamRow {
  readonly id: string;
  readonly agent_id: string;
  readonly conversation_id: string;
  readonly owner: string;
  readonly started_at: number;
}

/** A row that the SQL function `read_stream` returns. Null: there are no chunks. */
export interface ChunksRow {
  /** The number of chunks up to the end of this row. */
  readonly upto: number | null;
  /** JSON: a list of texts. */
  readonly chunks: string | null;
}

export function toLiveStream(row: LiveStreamRow): LiveStream {
  return {
    id: fromText(row.id),
    agentId: fromText(row.agent_id),
    conversationId: fromText(row.conversation_id),
    userId: row.owner === '' ? undefined : fromText(row.owner.slice(1)),
    startedAt: row.started_at,
  };
}

/**
 * The column `owner`. It is never null, so that one unique index covers streams with and without a
 * user.
 */
export function toOwnerColumn(userId: string | undefined): string {
  return userId === undefined ? '' : `=${toText(userId)}`;
}

/**
 * Up to `limit` chunks after the first `after`. @param rows in their order; one may repeat chunks
 * at the end of the row before.
 */
export function joinChunks(rows: readonly ChunksRow[], after: number, limit: number): readonly string[] {
  const joined: string[] = [];
  for (const { chunks, upto } of rows) {
    if (upto === null || chunks === null) break;
    const list = JSON.parse(chunks) as readonly string[];
    const alreadyJoined = after + joined.length - (upto - list.length);
    for (const chunk of list.slice(alreadyJoined)) joined.push(chunk);
    if (joined.length >= limit) break;
  }
  return joined.slice(0, limit);
}
