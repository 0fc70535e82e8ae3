import type {
  ClaimedExecution,
  Commit,
  CommitOutcome,
  CreateOptions,
  CreateOutcome,
  Execution,
  ExecutionEvent,
  ExecutionRequest,
  Job,
  JournalEntry,
  JsonValue,
  NewExecution,
  Owner,
  Quarantine,
  ResumeRequest,
  RewindRequest,
  Termination,
} from '@halyard/contracts';

/** The names of the virtual objects. A name never changes: it is part of what Restate stores. */
export const names = {
  execution: 'HalyardExecution',
  runner: 'HalyardRunner',
  key: 'HalyardKey',
  channel: 'HalyardChannel',
  lists: 'HalyardLists',
} as const;

/**
 * One attempt of Restate to have an execution run. A later one replaces an earlier one, whose
 * process may be paused and not know it.
 */
export interface Delivery {
  /** Grows with each `run` that the execution sends. */
  readonly ticket: number;
  /** Grows with each attempt of that `run`. */
  readonly attempt: number;
}

export interface ClaimInput {
  /** The name of the process. */
  readonly runner: string;
  readonly definitions: Readonly<Record<string, string>> | null;
  /** Unique to the call: a repeated one returns the same claim. */
  readonly claimId: string;
  /** Null: a claim by hand, which takes nothing away from a runner. */
  readonly delivery: Delivery | null;
  /** Is resolved when a signal arrives. */
  readonly awakeable: string | null;
  readonly maxClaims: number | null;
}

export type ClaimResult =
  | { readonly status: 'claimed'; readonly claimed: ClaimedExecution }
  /** `unknown`: the process does not have the steps of its definition. */
  | { readonly status: 'refused' | 'unknown' }
  | { readonly status: 'exhausted'; readonly claimsWithoutCommit: number };

/** Of an id that is a sub-workflow's, only the id of its root is known at its own key. */
export type Found = { readonly execution: Execution } | { readonly rootId: string } | null;

export interface CutInput {
  readonly owner: Owner;
  /** That of the root or of a sub-workflow. */
  readonly id: string;
  readonly after: number;
  readonly limit: number;
  readonly maxBytes: number | null;
  readonly creationId: string | null;
}

/** Some of the events of an execution. */
export type Cut = { readonly events: readonly ExecutionEvent[] } | { readonly rootId: string };

/** Of an execution that does not exist, both are 0. */
export interface Version {
  readonly revision: number;
  readonly signals: number;
}

/** What the lists show. */
export interface Row {
  readonly root: Execution;
  /** Grows with each change. */
  readonly revision: number;
}

/** `row`: of the execution that was created by this call or by the same one before. */
export interface Created {
  readonly outcome: CreateOutcome;
  readonly row: Row | null;
}

export interface StoredEvent {
  readonly id: string;
  readonly channel: string;
  readonly payload: JsonValue;
  readonly publisher: Owner;
  readonly publishedAt: number;
}

/** `isWaiting`: it waits for another event of the channel. */
export interface Receipt {
  readonly job: Job | null;
  readonly isWaiting: boolean;
}

/** A handler that is called through the ingress, or by another object. */
type Handler<Input, Output> = (input: Input) => Promise<Output>;

export interface ExecutionHandlers {
  create: Handler<{ readonly execution: NewExecution; readonly options: CreateOptions }, Created>;
  claim: Handler<ClaimInput, ClaimResult>;
  /** The runner waits for the next signal. */
  listen: Handler<{ readonly delivery: Delivery; readonly awakeable: string }, void>;
  /** `isGivenUp`: Restate has given up the attempt, and its process lives. */
  left: Handler<{ readonly delivery: Delivery; readonly delayMs: number; readonly isGivenUp?: boolean }, void>;
  commit: Handler<Commit, CommitOutcome>;
  resume: Handler<{ readonly owner: Owner; readonly resume: ResumeRequest }, 'resumed' | 'not-suspended'>;
  request: Handler<{ readonly owner: Owner; readonly request: ExecutionRequest }, 'requested' | 'idle' | 'not-found'>;
  rewind: Handler<{ readonly owner: Owner; readonly rewind: RewindRequest }, 'rewound' | 'outdated'>;
  quarantine: Handler<Quarantine, boolean>;
  terminate: Handler<{ readonly owner: Owner; readonly termination: Termination }, 'terminated' | 'idle' | 'not-found'>;
  /** Part of {@link ExecutionLog.supersede}. */
  supersede: Handler<{ readonly reason: string }, readonly Job[]>;
  replace: Handler<{ readonly reason: string; readonly isUnclaimed: boolean }, Job | null>;
  receive: Handler<StoredEvent, Receipt>;
  /** A place of its concurrency key is free. */
  wake: Handler<void, void>;
  /**
   * Binds the id of a new sub-workflow to its root, or for some time an id to an execution
   * elsewhere.
   */
  reserve: Handler<{ readonly rootId: string; readonly forMs?: number }, boolean>;
  release: Handler<{ readonly rootId: string }, void>;
  remove: Handler<void, boolean>;
  find: Handler<{ readonly owner: Owner; readonly id: string }, Found>;
  journal: Handler<{ readonly owner: Owner }, readonly JournalEntry[]>;
  events: Handler<CutInput, Cut>;
  children: Handler<{ readonly owner: Owner }, readonly Execution[]>;
  /** What watchers compare. */
  version: Handler<void, Version>;
  /** For the lists; later changes ask for another call. */
  row: Handler<void, Row | null>;
}

export interface Place {
  readonly id: string;
  readonly limit: number;
  readonly priority: number;
  readonly definition: string;
  readonly waitingSince: number;
}

export interface KeyHandlers {
  /** @returns whether it has a place. Otherwise it waits, and is woken. */
  take: Handler<Place, boolean>;
  free: Handler<{ readonly id: string }, void>;
  /** @returns whether another is a member, and since when the first of all is or was. */
  enter: Handler<
    { readonly id: string; readonly onlyIfEmpty: boolean; readonly since: number },
    { readonly isBusy: boolean; readonly since: number }
  >;
  leave: Handler<{ readonly id: string }, void>;
  /** The ids of the members that entered before this one. */
  before: Handler<{ readonly id: string }, readonly string[]>;
  /** @returns when a start is due at the earliest. */
  throttle: Handler<{ readonly dueAt: number; readonly limit: number; readonly periodMs: number }, number>;
}

export interface PublishInput {
  readonly owner: Owner;
  readonly id: string;
  readonly payload: JsonValue;
  readonly requestId: string;
  readonly keptMs: number;
}

export interface ChannelHandlers {
  publish: Handler<PublishInput, { readonly eventId: string; readonly deliveries: readonly Job[] }>;
  wait: Handler<{ readonly rootId: string }, void>;
  expire: Handler<{ readonly eventId: string; readonly requestKey: string }, void>;
}

export interface RunnerHandlers {
  /** `attempts`: those of earlier runs with the ticket. */
  run: Handler<{ readonly ticket: number; readonly workflowId: string; readonly attempts?: number }, void>;
}

export interface ListsHandlers {
  write: Handler<{ readonly rootId: string }, void>;
}

export type InputsOf<Handlers> = {
  [Name in keyof Handlers]: Handlers[Name] extends (input: infer Input) => unknown ? Input : never;
};
export type OutputsOf<Handlers> = {
  [Name in keyof Handlers]: Handlers[Name] extends (...input: never) => Promise<infer Output> ? Output : never;
};
