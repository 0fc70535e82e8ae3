export interface RunRequest {
  /** Full names of the tests to run; all of the file where there are none. */
  readonly specs: readonly { readonly file: string; readonly names?: readonly string[] }[];
  /** The change to run them with. */
  readonly mutantId?: string;
  /** How often the changed code may run before it counts as endless. */
  readonly hitLimit?: number;
}

export interface TestOutcome {
  readonly file: string;
  readonly name: string;
  readonly durationMs: number;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly message?: string;
}

export interface RunReply {
  readonly outcomes: readonly TestOutcome[];
  /** An error outside of a test. */
  readonly error?: string;
  readonly isHitLimitReached: boolean;
  /** Which changes each test reaches, without a change. */
  readonly coverage?: unknown;
}

export type SessionMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'run'; readonly request: RunRequest }
  | { readonly type: 'reply'; readonly reply: RunReply }
  | { readonly type: 'end' };

/** A thread and the one that started it are in one process, whose id names their channel. */
export const sessionChannel = `mutation-session-${process.pid}`;

export function testId({ file, name }: Pick<TestOutcome, 'file' | 'name'>): string {
  return `${file}#${name}`;
}
