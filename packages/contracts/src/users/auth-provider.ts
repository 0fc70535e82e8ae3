import type { Logger, User } from '../ports.ts';

/** The request of a token. */
export interface AuthRequest {
  /** In upper case. An upgrade to a WebSocket is a `GET`. */
  readonly method: string;
  /** The path as it was sent, not decoded and without the query. */
  readonly path: string;
  /** By lower-case name, as Node parses them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** IP address of the client: that of the connection, or the one reported by trusted proxies. */
  readonly address: string;
  /**
   * The server's log. A provider may write there at `debug` why it refused a token, never the
   * token.
   */
  readonly logger?: Logger;
}

/** Verifies tokens. */
export interface AuthProvider {
  /** A name for logs and start-up messages, such as `jwt`. */
  readonly type: string;

  /**
   * The issuers of its tokens: URLs of the authorization servers where users sign in. MCP clients
   * find them by the metadata of protected resources (RFC 9728). Issuers that are not URLs are not
   * published.
   */
  readonly issuers?: readonly string[];

  /** Patterns of routes that need no credentials, in addition to those of the app. */
  readonly publicRoutes?: readonly string[];

  /**
   * Legacy mode: whether the app's own routes and unknown routes are protected. A setting of the
   * app overrides it.
   */
  readonly defaultPrivate?: boolean;

  /**
   * The server's log, for warnings from here on. A server calls it when it is created, unless the
   * provider has a logger of the app.
   */
  useLogger?(logger: Logger): void;

  /**
   * @returns the user, or null for an invalid token. A token whose verification throws is invalid.
   */
  verifyToken(token: string, request: AuthRequest): Promise<User | null> | User | null;
}
