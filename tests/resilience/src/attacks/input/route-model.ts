/** A route of the table of access: its method, and its segments without the first slash. */
interface ModelledRoute {
  readonly method: string;
  readonly url: string;
  readonly segments: readonly string[];
}

/** A simple matcher of paths, to compare the router with. */
export interface RouteModel {
  readonly routes: readonly ModelledRoute[];
}

export type Matched =
  | { readonly kind: 'found'; /** Such as `GET /agents/:id`. */ readonly route: string }
  | { readonly kind: 'not there' }
  /** The request line is not valid HTTP, or the path has an encoding that is not valid UTF-8. */
  | { readonly kind: 'malformed' };

/**
 * Routes that are not operations of the API: the explorer's page, the addresses of WebSockets,
 * which refuse plain requests, and names of packages with a slash that is not encoded.
 */
const others = [
  ...['/ui', '/ws', '/ws/approvals', '/ws/logs', '/ws/observability'].map((url) => ({ method: 'GET', url })),
  { method: 'POST', url: '/updates/:scope/:packageName' },
];

export function routeModel(rows: readonly { readonly method: string; readonly url: string }[]): RouteModel {
  const all = [...rows, ...others];
  return { routes: all.map(({ method, url }) => ({ method, url, segments: url.slice(1).split('/') })) };
}

/**
 * The route of a request line. Segments are compared after they were decoded; slashes count only
 * where they are written as such.
 */
export function matchRoute({ routes }: RouteModel, method: string, target: string): Matched {
  // The parser of HTTP refuses other characters and methods that it does not know.
  if (!/^[!-~]*$/.test(target) || method !== method.toUpperCase()) return { kind: 'malformed' };
  const path = decoded(target.split(/[?#]/, 1)[0] ?? '');
  if (path === undefined) return { kind: 'malformed' };
  const segments = withoutLastSlash(path).slice(1).split('/');
  const [best] = routes
    .filter((route) => answers(route, method) && matches(route, segments))
    // Literal segments win over parameters, from left to right.
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  if (best === undefined) return { kind: 'not there' };
  return { kind: 'found', route: `${method} ${best.url}` };
}

function answers({ method, url }: ModelledRoute, asked: string): boolean {
  if (asked === 'HEAD') return method === 'GET' && answersHead(url) && !url.startsWith('/ws');
  return method === asked;
}

/** HEAD is answered like GET, except by streams and by other protocols. */
export function answersHead(url: string): boolean {
  return !/\/(stream|export)$|^\/mcp\/:serverId$|^\/\.well-known\/oauth-protected-resource/.test(url);
}

/** `/agents/` is the route `/agents`. */
function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A parameter at the end is not empty: `/agents//` is not an agent. */
function matches({ segments }: ModelledRoute, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
    !(segments.at(-1)?.startsWith(':') === true && given.at(-1) === '') &&
    segments.every((segment, index) => segment.startsWith(':') || segment === given[index])
  );
}

function rank({ segments }: ModelledRoute): string {
  return segments.map((segment) => (segment.startsWith(':') ? '1' : '0')).join('');
}

/** Reserved characters stay encoded, so that an encoded slash does not separate segments. */
function decoded(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
