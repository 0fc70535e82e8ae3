/** One step of the schema. Once released it is never changed: what comes later is another. */
export interface Migration {
  /** From 1, without gaps. */
  readonly number: number;
  readonly name: string;
  /** @param schema quoted, ready to stand before a dot. @returns statements, the last one without a line after it. */
  readonly sql: (schema: string) => string;
}
