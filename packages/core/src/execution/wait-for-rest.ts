import { type Execution, type ExecutionStore, NotFoundError, type Owner } from '@halyard/contracts';
import type { WorkflowDefinition } from '../workflow/workflow-definition.ts';
import type { Executor } from './executor.ts';
import type { RestNews } from './rest-waiters.ts';
import { type RunResult, runResult } from './run-result.ts';

/** How often the store is asked about an execution that another process runs, which may tell nothing. */
const pollMs = 1_000;

export interface Waited {
  readonly store: ExecutionStore;
  readonly executor: Executor;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  readonly owner: Owner;
  readonly executionId: string;
}

/** Waits until an execution is at rest: told by this process while it runs here, else by looking at the store. */
export async function waitForRest(
  waited: Waited,
  { signal, timeoutMs }: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
): Promise<RunResult> {
  const { executionId, executor, store } = waited;
  const news = new News();
  const stops = [
    executor.waiters.add(executionId, news.tell),
    store.watch(executionId, () => executor.isRunning(executionId) || news.look()),
  ];
  const poll = setInterval(() => executor.isRunning(executionId) || news.look(), pollMs);
  const deadline = timeoutMs === undefined ? undefined : setTimeout(() => news.end(), timeoutMs);
  const onAbort = (): void => news.end();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      const execution = await find(waited);
      if (execution.status !== 'running') return resultOf(waited, execution);
      const next = signal?.aborted === true ? 'end' : await news.next();
      if (next === 'end') return resultOf(waited, await find(waited));
      if (next !== 'elsewhere') return next;
    }
  } finally {
    clearInterval(poll);
    clearTimeout(deadline);
    signal?.removeEventListener('abort', onAbort);
    for (const stop of stops) stop();
  }
}

async function find({ executionId, owner, store }: Waited): Promise<Execution> {
  const execution = await store.find(owner, executionId);
  if (execution === undefined) throw new NotFoundError('execution', executionId);
  return execution;
}

function resultOf({ workflows }: Waited, execution: Execution): RunResult {
  return runResult(execution, workflows.get(execution.workflowId));
}

/** The latest thing that was heard, for the one who waits. */
class News {
  #heard: RestNews | 'end' | undefined;
  #wake: ((news: RestNews | 'end') => void) | undefined;

  readonly tell = (news: RestNews | 'end'): void => {
    if (this.#wake === undefined) this.#heard = news;
    else this.#wake(news);
  };

  look(): void {
    this.tell('elsewhere');
  }

  end(): void {
    this.tell('end');
  }

  next(): Promise<RestNews | 'end'> {
    const heard = this.#heard;
    this.#heard = undefined;
    if (heard !== undefined) return Promise.resolve(heard);
    return new Promise((resolve) => {
      this.#wake = (news) => {
        this.#wake = undefined;
        resolve(news);
      };
    });
  }
}
