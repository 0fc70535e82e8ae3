import type { DatabaseSync } from 'node:sqlite';
import type { AuditFilter, AuditLog, AuditOutcome, AuditRecord, NewAuditRecord } from '@halyard/contracts';
import { toText } from './text.ts';

export class SqliteAuditLog implements AuditLog {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async append(record: NewAuditRecord): Promise<void> {
    const { action, actor, at, id, target } = record;
    const { userId } = actor;
    const ids = JSON.stringify(Object.values<string>({ ...target }).map(toText));
    this.#database
      .prepare('INSERT INTO audit_log VALUES (?, ?, ?, ?, ?, ?, NULL) ON CONFLICT DO NOTHING')
      .run(toText(id), at, userId === null ? null : toText(userId), toText(action), ids, JSON.stringify(record));
  }

  async settle(id: string, outcome: AuditOutcome): Promise<void> {
    this.#database
      .prepare('UPDATE audit_log SET outcome = ? WHERE id = ? AND outcome IS NULL')
      .run(JSON.stringify(outcome), toText(id));
  }

  async list({ action, actor, after, from, limit, target, to }: AuditFilter): Promise<readonly AuditRecord[]> {
    const conditions: readonly (readonly [sql: string, value: string | number | undefined])[] = [
      ['user_id = ?', actor === undefined ? undefined : toText(actor)],
      ['action = ?', action === undefined ? undefined : toText(action)],
      [
        'EXISTS (SELECT 1 FROM json_each(target_ids) WHERE value = ?)',
        target === undefined ? undefined : toText(target),
      ],
      ['at >= ?', from],
      ['at < ?', to],
      ['id < ?', after === undefined ? undefined : toText(after)],
    ];
    const given = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
    const where = ['TRUE', ...given.map(({ sql }) => sql)].join(' AND ');
    return this.#database
      .prepare(`SELECT record, outcome FROM audit_log WHERE ${where} ORDER BY id DESC LIMIT ?`)
      .all(...given.map(({ value }) => value), limit)
      .map(toRecord);
  }

  async purge(before: number, limit: number): Promise<number> {
    const old = 'SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?';
    return Number(this.#database.prepare(`DELETE FROM audit_log WHERE id IN (${old})`).run(before, limit).changes);
  }
}

function toRecord({ outcome, record }: Readonly<Record<string, unknown>>): AuditRecord {
  return {
    ...(JSON.parse(String(record)) as NewAuditRecord),
    outcome: typeof outcome === 'string' ? (JSON.parse(outcome) as AuditOutcome) : null,
  };
}
