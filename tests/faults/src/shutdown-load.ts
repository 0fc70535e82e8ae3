import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from './harness/seeded-random.ts';

/** What became of a request that a server may have accepted. */
export type Fate =
  /** A whole answer; of a stream up to its last event. */
  | 'answered'
  /** A whole 503 that says so, or a stream whose last event says so. */
  | 'sent-away'
  /** No connection: nobody listened any more. */
  | 'not-connected'
  /** Anything else. */
  | 'dropped';

/** The header that tells requests apart. */
export const loadIdHeader = 'x-load-id';

export interface Sent {
  readonly id: string;
  readonly what: string;
  readonly fate: Fate;
  /** What is known of one that was dropped. */
  readonly detail: string;
  /** Of the execution that it began. */
  readonly executionId: string | undefined;
}

/** Sends requests of all kinds to one server, one after the other, until nobody is there. */
export async function load(origin: string, { random, sent }: { random: SeededRandom; sent: Sent[] }): Promise<void> {
  // Some clients keep their connection, some open one for each request.
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
    // Longer than the grace.
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
  let heard = '';
  try {
    asked.end(text);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    executionId = [response.headers['x-execution-id']].flat()[0];
    for await (const piece of response.setEncoding('utf8')) heard += String(piece);
    const fate = fateOf(response, heard);
    return { id, what: pathname, fate, executionId, detail: `${response.statusCode} ${heard.slice(-200)}` };
  } catch (error) {
    const isConnected = !(error instanceof Error && 'syscall' in error && error.syscall === 'connect');
    const fate = isConnected ? 'dropped' : 'not-connected';
    const detail = `${String(error)} ${asked.reusedSocket ? 'on a connection that was kept' : ''} after ${heard.slice(-200)}`;
    return { id, what: pathname, fate, executionId, detail };
  }
}

function fateOf({ complete, headers, statusCode }: IncomingMessage, text: string): Fate {
  if (!complete) return 'dropped';
  if (statusCode === 503) return headers['x-error-code'] === 'SHUTTING_DOWN' ? 'sent-away' : 'dropped';
  if (statusCode !== 200) return 'dropped';
  if (headers['content-type']?.startsWith('text/event-stream') !== true) return 'answered';
  const last = JSON.parse(/data: (.*)\n\n$/.exec(text)?.[1] ?? '{}') as { readonly type?: string };
  if (last.type === 'workflow-result') return 'answered';
  return last.type === 'error' ? 'sent-away' : 'dropped';
}
