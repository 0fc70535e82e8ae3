import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from './harness/seeded-random.ts';

/** The result of a request to a server that is shutting down. */
export type Fate =
  /** A complete response; for a stream, up to its last event. */
  | 'answered'
  /** A complete 503 with the code SHUTTING_DOWN, or a stream that ends with an error event. */
  | 'turned-away'
  /** The connection was refused. */
  | 'not-connected'
  /** Anything else. */
  | 'dropped';

/** The header with the id of the request. */
export const loadIdHeader = 'x-load-id';

export interface Sent {
  readonly id: string;
  readonly what: string;
  readonly fate: Fate;
  /** Details about a dropped request. */
  readonly detail: string;
  /** The execution that the request started. */
  readonly executionId: string | undefined;
}

/** Sends random requests to one server, one after the other, until it refuses connections. */
export async function load(origin: string, { random, sent }: { random: SeededRandom; sent: Sent[] }): Promise<void> {
  // Some clients reuse their connection, others open one for each request.
  const agent = random.next() < 0.5 ? new Agent({ keepAlive: true, maxSockets: 1 }) : undefined;
  for (;;) {
    const [path, body] = anyRequest(random);
    const result = await send(`${origin}${path}`, body, agent);
    sent.push(result);
    if (result.fate === 'not-connected') break;
    await delay(random.between(0, 10));
  }
  agent?.destroy();
}

function anyRequest(random: SeededRandom): readonly [path: string, body: object | undefined] {
  return random.pick([
    ['/workflows/chain/execute', { input: { n: 1, ms: random.between(1, 50) } }],
    ['/workflows/approval/execute', { input: { n: 1, ms: random.between(1, 20) } }],
    ['/workflows/ticker/stream', { input: { ticks: random.between(1, 20), ms: 20 } }],
    // Longer than the grace period.
    ['/workflows/ticker/stream', { input: { ticks: 60, ms: 100 } }],
    ['/workflows/ticker/execute', { input: { ticks: 60, ms: 100 } }],
    ['/workflows/executions?limit=5', undefined],
    ['/workflows', undefined],
  ] as const);
}

async function send(url: string, body: object | undefined, agent: Agent | undefined): Promise<Sent> {
  const { pathname } = new URL(url);
  const text = body && JSON.stringify(body);
  const id = randomUUID();
  const headers = { [loadIdHeader]: id };
  const asked = request(url, {
    agent: agent ?? false,
    headers,
    ...(text && {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-length': text.length },
    }),
  });
  let executionId: string | undefined;
  let received = '';
  try {
    asked.end(text);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    executionId = [response.headers['x-execution-id']].flat()[0];
    for await (const piece of response.setEncoding('utf8')) received += String(piece);
    const fate = fateOf(response, received);
    return { id, what: pathname, fate, executionId, detail: `${response.statusCode} ${received.slice(-200)}` };
  } catch (error) {
    const isConnected = !(error instanceof Error && 'syscall' in error && error.syscall === 'connect');
    const fate = isConnected ? 'dropped' : 'not-connected';
    const detail = `${String(error)} ${asked.reusedSocket ? 'on a reused connection' : ''} after ${received.slice(-200)}`;
    return { id, what: pathname, fate, executionId, detail };
  }
}

function fateOf({ complete, headers, statusCode }: IncomingMessage, text: string): Fate {
  if (!complete) return 'dropped';
  if (statusCode === 503) return headers['x-error-code'] === 'SHUTTING_DOWN' ? 'turned-away' : 'dropped';
  if (statusCode !== 200) return 'dropped';
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return 'answered';
  const last = JSON.parse(/data: (.*)\n\n$/.exec(text)?.[1] ?? '{}') as { readonly type?: string };
  if (last.type === 'workflow-result') return 'answered';
  return last.type === 'error' ? 'turned-away' : 'dropped';
}
