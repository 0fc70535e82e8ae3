import type { DatabaseSync } from 'node:sqlite';
import type { Message } from '@halyard/contracts';
import { messageColumns } from './conversation-row.ts';
import { fromText, toText } from './text.ts';

/**
 * Writes messages: a stored one keeps its place and time, new ones get the times from `firstTime`
 * on. `id` is the encoded id of the conversation.
 */
export function writeMessages(
  database: DatabaseSync,
  id: string,
  messages: readonly Message[],
  firstTime: number,
): void {
  const write = database.prepare(
    `INSERT INTO messages (conversation_id, ${messageColumns}) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (conversation_id, id) DO UPDATE SET role = excluded.role, parts = excluded.parts, metadata = excluded.metadata`,
  );
  for (const [index, { id: messageId, role, parts, metadata }] of messages.entries()) {
    const json = metadata === undefined ? null : JSON.stringify(metadata);
    write.run(id, toText(messageId), role, JSON.stringify(parts), json, firstTime + index);
  }
}

/** The time of the last message of the conversation; 0 when there is none. */
export function lastTime(database: DatabaseSync, id: string): number {
  const sql = 'SELECT coalesce(max(created_at), 0) AS last FROM messages WHERE conversation_id = ?';
  return (database.prepare(sql).get(id) as { last: number }).last;
}

/** Deletes the messages after this one; none when it does not exist. @returns the deleted ids. */
export function dropAfter(database: DatabaseSync, id: string, messageId: string): readonly string[] {
  const dropped = database
    .prepare(
      `DELETE FROM messages WHERE conversation_id = :id AND created_at >
      (SELECT created_at FROM messages WHERE conversation_id = :id AND id = :messageId) RETURNING id`,
    )
    .all({ id, messageId: toText(messageId) }) as { id: string }[];
  return dropped.map((row) => fromText(row.id));
}
