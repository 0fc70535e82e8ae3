import { AsyncLocalStorage } from 'node:async_hooks';
import { type User, userTenant } from '@halyard/contracts';
import type { McpConnection } from './mcp-connection.ts';

/** On whose behalf a request is sent. */
export interface McpCaller {
  /** The verified user, when there is one. */
  readonly user?: User | undefined;
  /** The user's id. Without `user`, the app has set it and nobody has verified it. */
  readonly userId?: string | undefined;
}

interface Entry {
  readonly connection: McpConnection;
  /** Of the newest request: its user may have newer credentials. */
  caller: McpCaller;
  uses: number;
  closing?: NodeJS.Timeout;
}

export interface ConnectionsByUserOptions {
  /** Undefined: connections stay open. */
  readonly idleTimeoutMs: number | undefined;
  readonly maxIdleConnections: number;
  /**
   * Creates a connection. `caller` returns the caller of the request that it sends, or of its newest
   * one for what it sends by itself.
   */
  create(caller: () => McpCaller): McpConnection;
}

/**
 * Connections to one server, each used for one user only. The app limits how many are in use at the
 * same time; unused ones are closed after a while, and the longest unused one at once when there
 * are too many.
 */
export class ConnectionsByUser {
  readonly #options: ConnectionsByUserOptions;
  /** In the order in which their last uses began or ended. */
  readonly #entries = new Map<string, Entry>();
  /** Requests of a user at the same time may have different claims. */
  readonly #running = new AsyncLocalStorage<{ caller: McpCaller | undefined }>();

  constructor(options: ConnectionsByUserOptions) {
    this.#options = options;
  }

  async use<Result>(caller: McpCaller, act: (connection: McpConnection) => Promise<Result>): Promise<Result> {
    const identity = identityOf(caller);
    const entry = this.#entries.get(identity) ?? this.#create(caller);
    entry.caller = caller;
    entry.uses += 1;
    clearTimeout(entry.closing);
    this.#entries.delete(identity);
    this.#entries.set(identity, entry);
    const running: { caller: McpCaller | undefined } = { caller };
    try {
      return await this.#running.run(running, () => act(entry.connection));
    } finally {
      // The connection may send more for itself.
      running.caller = undefined;
      entry.uses -= 1;
      if (entry.uses === 0) this.#rest(identity, entry);
    }
  }

  async close(): Promise<void> {
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { closing } of entries) clearTimeout(closing);
    await Promise.all(entries.map(({ connection }) => connection.close()));
  }

  #create(caller: McpCaller): Entry {
    const entry: Entry = {
      connection: this.#options.create(() => this.#running.getStore()?.caller ?? entry.caller),
      caller,
      uses: 0,
    };
    return entry;
  }

  #rest(identity: string, entry: Entry): void {
    // All connections were closed during this use, which may have opened this one again.
    if (this.#entries.get(identity) !== entry) {
      this.#end(entry);
      return;
    }
    this.#entries.delete(identity);
    this.#entries.set(identity, entry);
    const { idleTimeoutMs, maxIdleConnections } = this.#options;
    if (idleTimeoutMs === undefined) return;
    entry.closing = setTimeout(() => this.#close(identity, entry), idleTimeoutMs).unref();
    const idle = [...this.#entries].filter(([, { uses }]) => uses === 0);
    for (const [oldest, unused] of idle.slice(0, Math.max(0, idle.length - maxIdleConnections)))
      this.#close(oldest, unused);
  }

  #close(identity: string, entry: Entry): void {
    this.#entries.delete(identity);
    clearTimeout(entry.closing);
    this.#end(entry);
  }

  #end({ connection }: Entry): void {
    // The server's answer to the end of a session concerns nobody.
    void connection.close().catch(() => {});
  }
}

/** An id that nobody has verified is another identity than the same id of a verified user. */
function identityOf({ user, userId }: McpCaller): string {
  if (user === undefined) return JSON.stringify({ unverified: userId });
  const { id, sub } = user;
  // Somebody who works for two tenants is another identity in each of them.
  return JSON.stringify(id === undefined && sub === undefined ? { user } : { id, sub, tenant: userTenant(user) });
}
