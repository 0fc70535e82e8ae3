/** One step of the schema. Once released it is never changed: what comes later is another. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** @param schema quoted, ready to stand before a dot. @returns statements, the last one without a line after it. */
  readonly sql: (schema: string) => string;
}

/** The migrations of one package. */
export interface MigrationSet {
  /** The table where it is noted which of them were run. */
  readonly table: string;
  /** Oldest first. */
  readonly migrations: readonly Migration[];
  /** The call that prints them, for those who run them by hand. */
  readonly printedBy: string;
}
