/** The exit codes of the program; `docs/cli.md` lists them. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

interface CliErrorOptions {
  readonly cause?: unknown;
  /** The remedy: a command, or a sentence. */
  readonly fix?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** A message for the person who runs the program, in one sentence. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly fix: string | undefined;
  readonly exitCode: number;

  constructor(message: string, { cause, exitCode = exitCodes.failed, fix }: CliErrorOptions = {}) {
    super(message, { cause });
    this.fix = fix;
    this.exitCode = exitCode;
  }
}
