import type { Conversation, MessageFilter, Owner, StoredMessage } from '@halyard/contracts';
import type { Database } from '../connection/database.ts';
import { ownerValue } from '../connection/of-owner.ts';
import { toText } from '../connection/text-codec.ts';
import { conversationRecord } from './conversation-record.ts';
import { messageRecord, type MessageRow } from './message-record.ts';

/** The first row has the conversation; where there are no messages, it has nothing else. */
type ReadRow = { readonly conversation: string | null } & (MessageRow | { readonly id: null });

/** A conversation and the newest of its messages that fit, oldest first. */
export async function readMessages(
  database: Database,
  owner: Owner,
  id: string,
  { after = -Infinity, before = Infinity, limit, roles }: MessageFilter,
): Promise<{ readonly conversation: Conversation; readonly messages: readonly StoredMessage[] } | undefined> {
  const rows = await database.query<ReadRow>(
    `select * from ${database.schema}.read_messages($1, $2, $3, $4, $5, $6)`,
    [toText(id), ownerValue(owner), limit, wholeTime(Math.floor(after)), wholeTime(Math.ceil(before)), roles ?? null],
    { bearsTwice: true },
  );
  const json = rows[0]?.conversation;
  if (json === undefined || json === null) return undefined;
  return {
    conversation: conversationRecord(json),
    messages: rows.flatMap((row) => (row.id === null ? [] : messageRecord(row))),
  };
}

function wholeTime(time: number): number {
  return Math.min(Math.max(time, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}
