import type { FastifyRequest } from 'fastify';
import { FetchSocket, unknownAddress } from '../fetch/fetch-socket.ts';

/** The headers that proxies and tunnels add to a request. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-original-host',
  'true-client-ip',
  'cf-connecting-ip',
  'fastly-client-ip',
];

/**
 * Finds the requests that come from this computer. Nothing in a request of another one can change
 * the outcome.
 */
export class LocalRequests {
  readonly #allowedHosts: ReadonlySet<string>;

  /** @param allowedHosts names by which this computer is addressed too. */
  constructor(allowedHosts: readonly string[] = []) {
    this.#allowedHosts = new Set(allowedHosts.map((name) => name.toLowerCase()));
  }

  /**
   * Whether a program on this computer sent the request, without a proxy and to a local name. A
   * proxy may pass on requests of anyone. A page that resolves its own name to 127.0.0.1 (DNS
   * rebinding) sends that name as the host.
   */
  has(request: FastifyRequest): boolean {
    return isFromLoopback(request) && !isForwarded(request) && this.#isLocalName(request.hostname);
  }

  /**
   * Whether the app that passed the request to `server.fetch` received it at this computer, as far
   * as its headers tell. Next.js adds headers of a proxy to each request and hides the address, so
   * this suffices where the app decides who reaches it, and proves nothing.
   */
  isPassedOn(request: FastifyRequest): boolean {
    const { socket } = request.raw;
    if (!(socket instanceof FetchSocket) || socket.remoteAddress !== unknownAddress) return false;
    const { headers, hostname } = request;
    return (
      this.#isLocalName(hostname) && forwardingHeaders.every((name) => this.#isOfThisComputer(name, headers[name]))
    );
  }

  /** Whether a request reached this computer's own interface by a name that is not local. */
  isRebound(request: FastifyRequest): boolean {
    return isFromLoopback(request) && !this.#isLocalName(request.hostname);
  }

  #isOfThisComputer(name: string, value: string | readonly string[] | undefined): boolean {
    if (value === undefined || name === 'x-forwarded-proto' || name === 'x-forwarded-port') return true;
    const values = String(value)
      .split(',')
      .map((each) => each.trim());
    if (name === 'x-forwarded-for') return values.every(isLoopback);
    return name === 'x-forwarded-host' && values.every((host) => this.#isLocalName(host.replace(/:\d+$/, '')));
  }

  #isLocalName(name: string): boolean {
    return (
      /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(name) ||
      this.#allowedHosts.has(name.toLowerCase())
    );
  }
}

/** Not `request.ip`, which the header of a proxy may determine. */
function isFromLoopback({ raw }: FastifyRequest): boolean {
  return isLoopback(raw.socket.remoteAddress);
}

export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

function isForwarded({ headers }: FastifyRequest): boolean {
  return forwardingHeaders.some((name) => headers[name] !== undefined);
}
