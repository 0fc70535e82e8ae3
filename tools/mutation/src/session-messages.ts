import { BroadcastChannel } from 'node:worker_threads';

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

/** Between the main thread and the one that runs the tests. */
export interface SessionChannel {
  readonly post: (message: SessionMessage) => void;
  readonly close: () => void;
}

/** Both threads are in one process, whose id names their channel. */
export function openChannel(onMessage: (message: SessionMessage) => void): SessionChannel {
  const channel = new BroadcastChannel(`mutation-session-${process.pid}`);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- its type has no such method
  channel.onmessage = (event) => onMessage((event as { readonly data: SessionMessage }).data);
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window
    post: (message) => channel.postMessage(message),
    close: () => channel.close(),
  };
}

export function testId({ file, name }: Pick<TestOutcome, 'file' | 'name'>): string {
  return `${file}#${name}`;
}
