import type { Database } from './database.ts';
import { fromText, toText } from './text-codec.ts';
import { Watchers } from './watchers.ts';

/** What is watched of one table, and as what it was seen last. */
export class WatchedRows {
  readonly watchers: Watchers = new Watchers();
  readonly #database: Database;
  readonly #table: string;
  readonly #state: (shiftMs: number) => string;
  #known: ReadonlyMap<string, string> = new Map();

  /** @param state in SQL: a text that is another one after each change. */
  constructor(database: Database, table: string, state: (shiftMs: number) => string) {
    this.#database = database;
    this.#table = table;
    this.#state = state;
  }

  /** Finds what nobody was told of. What is watched for the first time is told at any rate. */
  async look(): Promise<void> {
    const { ids } = this.watchers;
    if (ids.length === 0) return;
    const { schema, shiftMs } = this.#database;
    const rows = await this.#database.query<{ id: string; state: string }>(
      `select id, ${this.#state(shiftMs)} as state from ${schema}.${this.#table} where id = any($1::text[])`,
      [ids.map(toText)],
    );
    const found = new Map(rows.map(({ id, state }) => [fromText(id), state]));
    const before = this.#known;
    this.#known = new Map(ids.map((id) => [id, found.get(id) ?? 'gone']));
    for (const [id, state] of this.#known) if (before.get(id) !== state) this.#tell(id);
  }

  tellAll(): void {
    for (const id of this.watchers.ids) this.#tell(id);
  }

  #tell(id: string): void {
    this.watchers.tell(id, 'commit');
    this.watchers.tell(id, 'signal');
  }
}
