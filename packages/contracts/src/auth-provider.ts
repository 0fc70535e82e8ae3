import type { User } from './ports.ts';

/** What a provider may look at beside the token. */
export interface AuthRequest {
  /** As it was sent, in capitals. An upgrade to a WebSocket is a `GET`. */
  readonly method: string;
  /** The path as it was sent, without the query: it may hold what a router would decode. */
  readonly path: string;
  /** By lower-case name, as Node reads them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Where the request came from: the peer's, or what trusted proxies say. */
  readonly address: string;
}

/** Tells who a token speaks for. */
export interface AuthProvider {
  /** A name for logs and start-up messages, such as `jwt`. */
  readonly type: string;

  /** Routes that need no credentials by this provider's account, as route patterns; added to the app's own. */
  readonly publicRoutes?: readonly string[];

  /** Legacy mode: whether the app's own routes and unknown ones are protected. The app's own setting goes before it. */
  readonly defaultPrivate?: boolean;

  /** The user, or null when the token is not valid. Throwing counts as not valid. */
  verifyToken(token: string, request: AuthRequest): Promise<User | null> | User | null;
}
