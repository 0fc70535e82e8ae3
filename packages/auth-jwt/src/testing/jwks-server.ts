import type { KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';

type Answer = (response: ServerResponse, path: string) => void;

/** A local key server whose reply can be changed. */
export class JwksServer {
  readonly #server = createServer((request, response) => {
    this.requests += 1;
    this.accepted = request.headers.accept;
    this.answer(response, request.url ?? '');
  });
  requests = 0;
  /** The `Accept` header of the last request. */
  accepted: string | undefined;
  answer: Answer = keysAnswer([]);

  /** Listens and returns the address of the keys. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/.well-known/jwks.json`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function jwkOf(key: KeyObject, more: object = {}): object {
  return { ...key.export({ format: 'jwk' }), use: 'sig', ...more };
}

export function keysAnswer(keys: readonly unknown[]): Answer {
  return textAnswer(JSON.stringify({ keys }));
}

export function textAnswer(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(text);
  };
}
