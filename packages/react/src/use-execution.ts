import {
  type Client,
  ClientError,
  type ExecutionState,
  type ResumeOptions,
  type RunResult,
  type StopOptions,
  type WorkflowEvent,
  type WorkflowId,
  type WorkflowWith,
} from '@halyard/client';
import { useCallback, useEffect, useState } from 'react';

/** Events are rendered at most this often: an agent in a workflow sends one for each token. */
const renderMs = 50;
const longestRetryMs = 10_000;

/** The types of a workflow of the app. */
type Types<App, Id> = WorkflowWith<App, Id>;

export interface ExecutionOptions {
  /**
   * How often the state of an execution that waits is read: somebody else may respond. Default 5000
   * ms.
   */
  readonly pollMs?: number | undefined;
}

export interface LiveExecution<Resume, Result> {
  /** Undefined until it is loaded. */
  readonly state: ExecutionState | undefined;
  readonly status: ExecutionState['status'] | undefined;
  /** The result of a completed execution. */
  readonly result: Result | undefined;
  /** The events so far. */
  readonly events: readonly WorkflowEvent[];
  /** Why the state could not be read, or the connection was lost. It is tried again. */
  readonly error: Error | undefined;
  /**
   * Resumes a suspension: `suspensionId`, else that of `stepId` in `state`, else the earliest in
   * `state`.
   */
  readonly resume: (options?: ResumeOptions<Resume>) => Promise<RunResult<Result>>;
  readonly retry: () => Promise<RunResult<Result>>;
  readonly cancel: (options?: StopOptions) => Promise<unknown>;
}

interface Shown {
  readonly key: string;
  readonly state: ExecutionState | undefined;
  readonly events: readonly WorkflowEvent[];
  readonly error: Error | undefined;
}

/**
 * The live state of an execution. It is followed until it has ended, also over suspensions and lost
 * connections.
 *
 * @param executionId undefined: none yet
 */
export function useExecution<App, Id extends WorkflowId<App>>(
  client: Client<App>,
  workflowId: Id,
  executionId: string | undefined,
  { pollMs = 5000 }: ExecutionOptions = {},
): LiveExecution<Types<App, Id>['resume'], Types<App, Id>['result']> {
  const key = `${workflowId} ${executionId}`;
  const [shown, setShown] = useState<Shown>({ key, ...nothing });
  // Follows again after messages of this page.
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (executionId === undefined) return undefined;
    const abort = new AbortController();
    const show = (change: Partial<Shown>): void => {
      if (!abort.signal.aborted) setShown((known) => ({ ...nothing, ...(known.key === key && known), ...change, key }));
    };
    void followUntilEnd({ client, workflowId, executionId, pollMs, signal: abort.signal, show });
    return () => abort.abort();
  }, [client, executionId, key, pollMs, round, workflowId]);

  const act = useCallback(
    async <Answer>(call: (id: string) => Promise<Answer>): Promise<Answer> => {
      if (executionId === undefined) throw new ClientError('There is no execution yet');
      try {
        return await call(executionId);
      } finally {
        setRound((count) => count + 1);
      }
    },
    [executionId],
  );
  const { error, events, state } = shown.key === key ? shown : nothing;
  const workflow = client.workflow(workflowId);
  return {
    state,
    status: state?.status,
    result: state?.status === 'completed' ? state.output : undefined,
    events,
    error,
    resume: (options = {}) => act((id) => workflow.resume(id, { ...answerTo(state, options), ...options })),
    retry: () => act((id) => workflow.retry(id)),
    cancel: (options) => act((id) => workflow.cancel(id, options)),
  };
}

/**
 * Names the suspension that the page shows: a later one is not resumed. Nothing for a step that
 * does not wait, to which the execution goes back.
 */
function answerTo(
  state: ExecutionState | undefined,
  { stepId }: { readonly stepId?: string },
): { readonly suspensionId?: string } {
  // Events resume their waits.
  const shown = state?.suspensions.find((each) =>
    stepId === undefined ? each.kind !== 'event' : each.stepId === stepId,
  );
  return shown === undefined ? {} : { suspensionId: shown.suspensionId };
}

const nothing: Omit<Shown, 'key'> = { state: undefined, events: [], error: undefined };

interface Following<App, Id> {
  readonly client: Client<App>;
  readonly workflowId: Id;
  readonly executionId: string;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly show: (change: Partial<Shown>) => void;
}

/** Never rejects. */
async function followUntilEnd<App, Id extends WorkflowId<App>>({
  client,
  executionId,
  pollMs,
  show,
  signal,
  workflowId,
}: Following<App, Id>): Promise<void> {
  const workflow = client.workflow(workflowId);
  let events: readonly WorkflowEvent[] = [];
  let after = 0;
  let failures = 0;
  const readState = async (): Promise<ExecutionState> => {
    const state = await workflow.state(executionId, { signal });
    show({ state, error: undefined });
    return state;
  };
  while (!signal.aborted) {
    try {
      const { status } = await readState();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const render = (): void => {
        timer = undefined;
        show({ events });
      };
      const connection = {
        onOpen: () => show({ error: undefined }),
        onLost: (error: Error) => show({ error }),
      };
      for await (const event of workflow.follow(executionId, { after, signal, ...connection })) {
        failures = 0;
        events = [...events, event];
        if ('seq' in event) after = event.seq;
        timer ??= setTimeout(render, renderMs);
      }
      clearTimeout(timer);
      render();
      const next = status === 'running' ? await readState() : { status };
      if (next.status !== 'running' && next.status !== 'suspended') return;
      await wait(pollMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      show({ error: error instanceof Error ? error : new TypeError(String(error)) });
      await wait(Math.min(1000 * 2 ** failures, longestRetryMs), signal);
      failures += 1;
    }
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
