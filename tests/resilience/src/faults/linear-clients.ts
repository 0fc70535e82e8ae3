import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './harness/cluster.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import type { History, Operation, Outcome } from './history.ts';
import type { Phase } from './linear-model.ts';

const kinds = ['start', 'resume', 'resume', 'resume', 'cancel', 'state', 'state', 'events'] as const;
const beginnings = ['start', 'start', 'state'] as const;
const eventsPatienceMs = 500;

/** The state of an execution in a response. */
interface ExecutionState {
  readonly status: Phase;
  readonly suspension: {
    readonly suspensionId: string;
    readonly suspendData?: { readonly tokens: readonly string[] };
  } | null;
  readonly result?: { readonly tokens: readonly string[] } | null;
  readonly output?: { readonly tokens: readonly string[] };
}

/** Makes random calls for one execution to random replicas, one after the other. */
export async function actOn(
  executionId: string,
  { calls, cluster, history, random }: { calls: number; cluster: Cluster; history: History; random: SeededRandom },
): Promise<void> {
  // A client answers the question that it saw last. Before it has seen one, it can only answer the
  // first.
  let shown: Shown = { round: 0 };
  for (let call = 0; call < calls; call += 1) {
    // Cancellations are rarer, because little can happen after one.
    const kind = random.pick(call === 0 ? beginnings : kinds);
    if (kind === 'cancel' && random.next() < 0.7) continue;
    const replica = cluster.client.any();
    const token = `${random.between(0, 999_999_999)}`;
    const invokedAt = performance.now();
    const answered = await ask(`${replica.origin}/workflows/approvals`, { executionId, kind, shown, token });
    const times = { invokedAt, returnedAt: performance.now() };
    if (answered !== undefined) {
      const { round } = shown;
      const { shown: next = shown, ...seen } = answered;
      history.add(executionId, { kind, round, token, replica: replica.name, ...times, ...seen });
      shown = next;
    }
    await delay(random.between(0, 20));
  }
}

/** A question that a client has seen. Without the id of its suspension, the first one. */
interface Shown {
  readonly round: number;
  readonly suspensionId?: string;
}

/** Undefined when the connection was refused, so that nothing can have happened. */
type Answered = (Pick<Operation, 'events' | 'outcome'> & { readonly shown?: Shown | undefined }) | undefined;

interface Call {
  readonly executionId: string;
  readonly kind: Operation['kind'];
  readonly shown: Shown;
  readonly token: string;
}

async function ask(workflow: string, { executionId, kind, shown, token }: Call): Promise<Answered> {
  const execution = `${workflow}/executions/${executionId}`;
  switch (kind) {
    case 'start':
      return send(`${workflow}/execute`, { input: { tokens: [] }, options: { executionId } }, { refusals: [409] });
    case 'resume':
      return send(
        `${execution}/resume`,
        { resumeData: { token }, options: { suspensionId: shown.suspensionId } },
        // It is not suspended, another question waits, or a later one and the client names none.
        { refusals: [404, 409, ...(shown.suspensionId === undefined ? [400] : [])] },
      );
    case 'cancel':
      return send(`${execution}/cancel`, { reason: 'enough' }, { refusals: [400] });
    case 'state':
      return send(`${execution}/state`, undefined, {});
    case 'events':
      return readEvents(`${execution}/stream`);
    default:
      return kind satisfies never;
  }
}

async function send(
  url: string,
  body: object | undefined,
  { refusals = [] }: { readonly refusals?: readonly number[] },
): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(20_000),
    });
    const { data, error } = (await response.json()) as { readonly data?: ExecutionState; readonly error?: string };
    return { outcome: outcomeOf(response.status, data, { refusals, url, error }), shown: shownIn(data) };
  } catch (error) {
    if (error instanceof UnexpectedReplyError) throw error;
    return isRefused(error) ? undefined : { outcome: { type: 'unknown' } };
  }
}

function shownIn(data: ExecutionState | undefined): Shown | undefined {
  if (!data?.suspension) return undefined;
  const { suspendData, suspensionId } = data.suspension;
  return { round: suspendData?.tokens.length ?? 0, suspensionId };
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** A response that no state of an execution can cause. */
class UnexpectedReplyError extends Error {
  override readonly name = 'UnexpectedReplyError';
}

function outcomeOf(
  status: number,
  data: ExecutionState | undefined,
  { error, refusals, url }: { readonly refusals: readonly number[]; readonly url: string; error: string | undefined },
): Outcome {
  if (refusals.includes(status)) return { type: 'refused' };
  if (status === 404) return { type: 'absent' };
  if (status === 503) return { type: 'unknown' };
  if (status !== 200 || data === undefined) throw new UnexpectedReplyError(`${url}: ${status} ${error}`);
  const tokens = data.suspension?.suspendData?.tokens ?? (data.result ?? data.output)?.tokens;
  return { type: 'saw', phase: data.status, tokens };
}

/**
 * Reads events for a limited time. They are complete when the stream ends because the execution is
 * idle.
 */
async function readEvents(url: string): Promise<Answered> {
  let text = '';
  let isWhole = false;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(eventsPatienceMs) });
    if (response.status === 404) return { outcome: { type: 'absent' } };
    if (response.status !== 200 || response.body === null) return { outcome: { type: 'unknown' } };
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) text += piece;
    isWhole = true;
  } catch (error) {
    if (isRefused(error)) return undefined;
    // The events received so far are still useful.
  }
  const frames = text.split('\n\n').slice(0, -1);
  const received = frames.flatMap((frame) => /^id: \d+\ndata: (.*)$/s.exec(frame)?.[1] ?? []);
  const last = JSON.parse(received.at(-1) ?? '{}') as Partial<ExecutionState> & { readonly type?: string };
  // A stream that ends because its server shuts down has another last event.
  if (!isWhole || last.type !== 'workflow-result' || frames.length !== received.length)
    return { outcome: { type: 'unknown' }, events: received };
  return {
    events: received,
    outcome: outcomeOf(200, last as ExecutionState, { refusals: [], url, error: undefined }),
  };
}
