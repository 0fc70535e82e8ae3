/**
 * One change of the schema. A released migration never changes: later changes are further
 * migrations.
 */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** @param schema the quoted name of the schema. @returns the statements. */
  readonly sql: (schema: string) => string;
}

/** The migrations of one package. */
export interface MigrationSet {
  /** The table that records which migrations were run. */
  readonly table: string;
  /** Oldest first. */
  readonly migrations: readonly Migration[];
  /** The call that prints the migrations, for error messages. */
  readonly printedBy: string;
}

export interface PendingMigration {
  readonly number: number;
  readonly name: string;
}

export interface AppliedMigration extends PendingMigration {
  /** When it was run, by the database's clock. Absent: not recorded. */
  readonly runAt?: Date;
}
