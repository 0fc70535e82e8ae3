import type { RecordedRequest } from './recorded-request.ts';
import type { ScriptQueue, ScriptSource } from './script-queue.ts';
import type { WireServer } from './wire-server.ts';

/**
 * A local server that plays a model provider: it records requests and answers them with scripts.
 */
export interface Wire<Script> extends AsyncDisposable {
  /** The `baseURL` for the provider package. */
  readonly baseURL: string;
  /** Every request so far, in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** The number of unused scripts. */
  readonly scriptsLeft: number;
  /** The request with this index in `requests`; waits until it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Queues one script for each of the next requests, in the order of arrival. */
  reply(...scripts: readonly ScriptSource<Script>[]): void;
  /** The script of every request when the queue is empty. */
  replyAlways(script: ScriptSource<Script>): void;
  /** Closes every connection and the server. */
  close(): Promise<void>;
}

/** The common part of all provider servers: the recorded requests and the queue of scripts. */
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
