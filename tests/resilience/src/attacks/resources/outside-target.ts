import type { RunningServer } from '../harness/attack-options.ts';
import { send } from '../harness/http-client.ts';
import { runningTarget, type Target } from '../harness/target.ts';
import type { SoakRequest } from '../soak/requests.ts';
import type { MemoryReport } from './measured-process.ts';
import type { Headers, ResourceTarget } from './resource-target.ts';

const unknown: MemoryReport = { longestStallMs: NaN, usedBytes: NaN, rssBytes: NaN, sockets: NaN };
/** Requests of others that need no model, the first of which is answered. */
const others = ['/api/memory/conversations?limit=1', '/healthz'];

/** The server of `--url`, of which only the replies are known. */
export class OutsideTarget implements ResourceTarget {
  readonly isOwn = false;
  readonly agent: string;
  readonly bystander: SoakRequest;
  readonly #target: Target;
  #isAlive = true;

  private constructor(target: Target, agent: string, bystander: SoakRequest) {
    this.#target = target;
    this.agent = agent;
    this.bystander = bystander;
  }

  static async open(server: RunningServer): Promise<OutsideTarget> {
    const target = runningTarget(server);
    const user = server.otherToken ?? server.token;
    const statuses = await Promise.all(
      others.map((path) => send(target, { method: 'GET', path, headers: bearer(user) }).then(({ status }) => status)),
    );
    const path = others[statuses.indexOf(200)] ?? '/healthz';
    return new OutsideTarget(target, server.agent ?? (await firstAgent(target)), { method: 'GET', path, user });
  }

  get origin(): string {
    return this.#target.origin;
  }

  get hostname(): string {
    return this.#target.hostname;
  }

  get port(): number {
    return this.#target.port;
  }

  get localAddress(): string | undefined {
    return this.hostname === '127.0.0.1' ? '127.0.0.2' : undefined;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get socketHeaders(): Headers {
    return this.#target.headersOf('ada', true);
  }

  headersOf(): Headers {
    return this.#target.headersOf('ada');
  }

  /** Only asks whether it is alive. */
  async report(): Promise<MemoryReport> {
    this.#isAlive = await send(this.#target, { method: 'GET', path: '/healthz' }).then(
      ({ status }) => status === 200,
      () => false,
    );
    return unknown;
  }

  untilSteady(): Promise<MemoryReport> {
    return this.report();
  }

  untilSockets(): Promise<MemoryReport> {
    return this.report();
  }

  async close(): Promise<void> {}
}

function bearer(token: string | undefined): Headers {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

async function firstAgent(target: Target): Promise<string> {
  const { body, status } = await send(target, {
    method: 'GET',
    path: '/agents',
    headers: target.headersOf('ada', true),
  });
  if (status !== 200) return 'assistant';
  const { data } = JSON.parse(body) as { readonly data: readonly { readonly id: string }[] };
  return data[0]?.id ?? 'assistant';
}
