/** The result of one check. */
export interface Check {
  /** Stable, for programs that read the JSON. */
  readonly id: string;
  /**
   * `failed`: must be fixed. `warning`: may be intended. `skipped`: cannot be checked, or is
   * optional.
   */
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** The remedy: a command, or a sentence. */
  readonly fix?: string;
}
