import { userId } from './user.ts';

/** An execution of the workflow `expense`. */
export interface Expense {
  readonly id: string;
  readonly status: 'running' | 'suspended' | 'completed' | 'error' | 'cancelled';
  readonly input: Claim;
  readonly createdAt: string;
  readonly output?: { readonly status: 'paid' | 'denied' };
}

export interface Claim {
  readonly employee: string;
  readonly purpose: string;
  readonly euros: number;
}

export interface Decision {
  readonly approved: boolean;
  readonly by: string;
  readonly reason?: string;
}

export interface Step {
  readonly id: string;
  readonly name: string;
  readonly purpose: string;
  readonly steps?: readonly Step[];
}

/** An event of an execution. The server sends all events of the past first. */
export interface ExpenseEvent {
  readonly type: string;
  /** The id of the step, or of the workflow. */
  readonly from: string;
  /** Live events of the agent have none. */
  readonly seq?: number;
  readonly [field: string]: unknown;
}

/** The newest claims. */
export async function listExpenses(): Promise<readonly Expense[]> {
  return read(await fetch('/workflows/executions?workflowId=expense&limit=30'));
}

export async function listSteps(): Promise<readonly Step[]> {
  const { steps } = await read<{ readonly steps: readonly Step[] }>(await fetch('/workflows/expense'));
  return steps;
}

/** Starts an execution and returns its id, without waiting for its end. */
export async function submitClaim(input: Claim): Promise<string> {
  const response = await post('/workflows/expense/stream', { input, options: { userId } });
  if (!response.ok) await read(response);
  // The execution continues without this client.
  await response.body?.cancel();
  return response.headers.get('x-execution-id') ?? '';
}

/** Resumes an execution that waits for a decision. */
export async function decide(executionId: string, resumeData: Decision): Promise<void> {
  await read(await post(`/workflows/expense/executions/${encodeURIComponent(executionId)}/resume`, { resumeData }));
}

/**
 * Follows the events of an execution until it ends or `signal` is aborted. The stream ends while
 * the execution waits for a person; the browser then connects again every few seconds, and so it
 * does after a restart of the server.
 */
export function follow(executionId: string, onEvent: (event: ExpenseEvent) => void, signal: AbortSignal): void {
  const source = new EventSource(`/workflows/expense/executions/${encodeURIComponent(executionId)}/stream`);
  signal.addEventListener('abort', () => source.close());
  source.addEventListener('message', ({ data }: MessageEvent<string>) => {
    const event = JSON.parse(data) as ExpenseEvent;
    onEvent(event);
    if (event.type === 'workflow-result' && event['status'] !== 'suspended') source.close();
  });
  source.addEventListener('error', () => {
    // The server answered with an error, for example because it is stopping.
    const retry = source.readyState === EventSource.CLOSED && !signal.aborted;
    if (retry) setTimeout(() => signal.aborted || follow(executionId, onEvent, signal), 2_000);
  });
}

function post(path: string, body: unknown): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function read<Data>(response: Response): Promise<Data> {
  const { data, error } = (await response.json()) as { data: Data; error?: string };
  if (!response.ok) throw new Error(error);
  return data;
}
