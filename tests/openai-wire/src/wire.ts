import type { RecordedRequest } from './recorded-request.ts';
import type { ScriptQueue, ScriptSource } from './script-queue.ts';
import type { WireServer } from './wire-server.ts';

/** A local server that plays a model provider: it records requests and answers them with scripts. */
export interface Wire<Script> extends AsyncDisposable {
  /** What the provider package takes as its `baseURL`. */
  readonly baseURL: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** How many scripts no request has taken yet. */
  readonly scriptsLeft: number;
  /** The request with this index in `requests`; waits until it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Queues one script for each of the next requests; they are taken in the order in which requests arrive. */
  reply(...scripts: readonly ScriptSource<Script>[]): void;
  /** What every request gets when no queued script is left, such as for many requests alike. */
  replyAlways(script: ScriptSource<Script>): void;
  /** Closes every connection and the server. */
  close(): Promise<void>;
}

/** The parts every wire shares: what the server recorded, and the queue it answers from. */
export function createWire<Script>(server: WireServer, basePath: string, scripts: ScriptQueue<Script>): Wire<Script> {
  return {
    baseURL: `${server.origin}${basePath}`,
    requests: server.requests,
    get scriptsLeft() {
      return scripts.size;
    },
    request: (index) => server.request(index),
    reply: (...sources) => scripts.add(sources),
    replyAlways: (source) => scripts.setDefault(source),
    close: () => server.close(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
