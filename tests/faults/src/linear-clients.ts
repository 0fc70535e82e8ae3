import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from './harness/cluster.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import type { History, Operation, Outcome } from './history.ts';
import type { Phase } from './linear-model.ts';

const kinds = ['start', 'resume', 'resume', 'resume', 'cancel', 'state', 'state', 'events'] as const;
const beginnings = ['start', 'start', 'state'] as const;
const eventsPatienceMs = 500;

/** What replicas say of an execution, in the answer of a run or a look at its state. */
interface Told {
  readonly status: Phase;
  readonly suspension: { readonly suspendData?: { readonly tokens: readonly string[] } } | null;
  readonly result?: { readonly tokens: readonly string[] } | null;
  readonly output?: { readonly tokens: readonly string[] };
}

/** Does what it likes to one execution, on any replica, one call after the other. */
export async function actOn(
  executionId: string,
  { calls, cluster, history, random }: { calls: number; cluster: Cluster; history: History; random: SeededRandom },
): Promise<void> {
  for (let call = 0; call < calls; call += 1) {
    // A second cancellation tells little, and ends the game.
    const kind = random.pick(call === 0 ? beginnings : kinds);
    if (kind === 'cancel' && random.next() < 0.7) continue;
    const replica = cluster.client.any();
    const token = `${random.between(0, 999_999_999)}`;
    const invokedAt = performance.now();
    const told = await ask(`${replica.origin}/workflows/approvals`, { executionId, kind, token });
    const times = { invokedAt, returnedAt: performance.now() };
    if (told !== undefined) history.add(executionId, { kind, token, replica: replica.name, ...times, ...told });
    await delay(random.between(0, 20));
  }
}

/** Undefined where nobody was there to be asked. */
type Answered = Pick<Operation, 'events' | 'outcome'> | undefined;

async function ask(
  workflow: string,
  { executionId, kind, token }: { readonly executionId: string; readonly kind: Operation['kind']; token: string },
): Promise<Answered> {
  const execution = `${workflow}/executions/${executionId}`;
  switch (kind) {
    case 'start':
      return send(`${workflow}/execute`, { input: { tokens: [] }, options: { executionId } }, { refusal: 409 });
    case 'resume':
      return send(`${execution}/resume`, { resumeData: { token } }, { refusal: 404 });
    case 'cancel':
      return send(`${execution}/cancel`, { reason: 'enough' }, { refusal: 400 });
    case 'state':
      return send(`${execution}/state`, undefined, {});
    case 'events':
      return readEvents(`${execution}/stream`);
    default:
      return kind satisfies never;
  }
}

async function send(url: string, body: object | undefined, { refusal }: { refusal?: number }): Promise<Answered> {
  try {
    const response = await fetch(url, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
      signal: AbortSignal.timeout(20_000),
    });
    const { data, error } = (await response.json()) as { readonly data?: Told; readonly error?: string };
    return { outcome: outcomeOf(response.status, data, { refusal, url, error }) };
  } catch (error) {
    if (error instanceof UnexpectedAnswerError) throw error;
    return isRefused(error) ? undefined : { outcome: { type: 'unknown' } };
  }
}

function isRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** An answer that no state of an execution explains. */
class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';
}

function outcomeOf(
  status: number,
  data: Told | undefined,
  { error, refusal, url }: { readonly refusal: number | undefined; readonly url: string; error: string | undefined },
): Outcome {
  if (status === refusal) return { type: 'refused' };
  if (status === 404) return { type: 'absent' };
  if (status === 503) return { type: 'unknown' };
  if (status !== 200 || data === undefined) throw new UnexpectedAnswerError(`${url}: ${status} ${error}`);
  const tokens = data.suspension?.suspendData?.tokens ?? (data.result ?? data.output)?.tokens;
  return { type: 'saw', phase: data.status, tokens };
}

/** What is told within a time: all that there is where the stream ends by itself, at a rest. */
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
    // What was heard until then is worth something.
  }
  const frames = text.split('\n\n').slice(0, -1);
  const heard = frames.flatMap((frame) => /^id: \d+\ndata: (.*)$/s.exec(frame)?.[1] ?? []);
  const last = JSON.parse(heard.at(-1) ?? '{}') as Partial<Told> & { readonly type?: string };
  // A stream that a server ends because it stops says so, and is not at a rest.
  if (!isWhole || last.type !== 'workflow-result' || frames.length !== heard.length)
    return { outcome: { type: 'unknown' }, events: heard };
  return { events: heard, outcome: outcomeOf(200, last as Told, { refusal: undefined, url, error: undefined }) };
}
