import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/**
 * Where a workflow stays: it waits for an event or sleeps, both for an hour, or its step does not
 * end.
 */
export type Place = 'waits' | 'sleeps' | 'in-step';

export type Request =
  /** Runs workflows of five trivial steps, so many at a time. */
  | { readonly type: 'five'; readonly seconds: number; readonly atOnce: number }
  /** Runs as many workflows of five trivial steps, one at a time. */
  | { readonly type: 'repeat'; readonly runs: number }
  /** Measures workflows of one trivial step, one at a time. */
  | { readonly type: 'one'; readonly runs: number }
  /** Starts workflows that stay where they are. */
  | { readonly type: 'hold'; readonly place: Place; readonly count: number };

/** The message of a process that has done its work. */
export interface Answer {
  readonly runs: number;
  readonly tookMs: number;
  /** Of `one`. */
  readonly p50Ms?: number;
  /**
   * Claimed executions with the calls in vain, and these calls: they returned nothing although
   * something was due. Engines without claims have none.
   */
  readonly claims?: number;
  readonly inVain?: number;
}

/** The first message of a process. */
interface Ready {
  readonly isOnPostgres: boolean;
}

/** An engine in a process of its own. */
export interface EngineProcess {
  readonly isOnPostgres: boolean;
  readonly child: ChildProcess;
  readonly ask: (request: Request) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a module that does what {@link Request} says. Its arguments: a connection string, and
 * further ones.
 */
export async function startEngine(
  path: string,
  connectionString: string,
  ...args: readonly string[]
): Promise<EngineProcess> {
  // The built packages are measured.
  const child = fork(path, [connectionString, ...args], { execArgv: [] });
  const gone = once(child, 'exit');
  const next = async (): Promise<unknown> => {
    const [message] = (await Promise.race([once(child, 'message'), gone.then(() => [])])) as unknown[];
    if (message === undefined) throw new TypeError(`${path} has ended`);
    return message;
  };
  const { isOnPostgres } = (await next()) as Ready;
  return {
    isOnPostgres,
    child,
    ask: async (request) => {
      const answered = next();
      child.send(request);
      return (await answered) as Answer;
    },
    stop: async () => {
      child.disconnect();
      await gone;
    },
  };
}
