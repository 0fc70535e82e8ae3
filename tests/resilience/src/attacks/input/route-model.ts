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

/** GET of the explorer's page is answered by the route without the slash. */
const withSlash = '/ui/';
/**
 * Routes that are not operations of the API: the explorer's page, the addresses of WebSockets, which refuse plain requests, and names of packages with a slash that
 * is not encoded.
 */
const others = [
  ...['/ui', withSlash, '/ws', '/ws/logs', '/ws/observability'].map((url) => ({ method: 'GET', url })),
  { method: 'POST', url: '/updates/:scope/:packageName' },
];

export function routeModel(rows: readonly { readonly method: string; readonly url: string }[]): RouteModel {
  const all = [...rows, ...others];
  return { routes: all.map(({ method, url }) => ({ method, url, segments: url.slice(1).split('/') })) };
}

/** The route of a request line. Segments are compared after they were decoded; slashes count only where they are written as such. */
export function matchRoute({ routes }: RouteModel, method: string, target: string): Matched {
  // The parser of HTTP refuses other characters and methods that it does not know.
  if (!/^[!-~]*$/.test(target) || method !== method.toUpperCase()) return { kind: 'malformed' };
  const path = decoded(target.split(/[?#]/, 1)[0] ?? '');
  if (path === undefined) return { kind: 'malformed' };
  const segments = path.slice(1).split('/');
  const [best] = routes
    .filter((route) => answers(route, method) && matches(route, segments))
    // Literal segments win over parameters, from left to right.
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  if (best === undefined) return { kind: 'not there' };
  return { kind: 'found', route: `${method} ${method === 'GET' && best.url === withSlash ? '/ui' : best.url}` };
}

/** HEAD is answered like GET, except by streams and by other protocols. */
function answers({ method, url }: ModelledRoute, asked: string): boolean {
  if (asked === 'HEAD') return method === 'GET' && !/\/(stream|export)$|^\/mcp\/:serverId$|^\/ws/.test(url);
  return method === asked;
}

function matches({ segments }: ModelledRoute, given: readonly string[]): boolean {
  return (
    segments.length === given.length &&
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
