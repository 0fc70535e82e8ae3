/** What the thread of an embedded database is told, and answers. */
export interface WorkerRequest {
  readonly id: number;
  /** Absent: close. */
  readonly text?: string;
  readonly values?: readonly unknown[];
}

export type WorkerAnswer =
  | { readonly id: number; readonly rows: readonly unknown[]; readonly affectedRows: number }
  | { readonly id: number; readonly failure: WorkerFailure };

/** An error of the database's: errors lose their fields on the way between threads. */
export interface WorkerFailure {
  readonly message: string;
  readonly code?: string | undefined;
  readonly severity?: string | undefined;
}
