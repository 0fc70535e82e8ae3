import { METHODS } from 'node:http';
import { ConfigurationError } from '@halyard/contracts';

/** The route of a request, as found by the router. */
export interface ResolvedRoute {
  /** The method of the request, in upper case. */
  readonly method: string;
  /**
   * The pattern of the route without the server's prefix, such as `/agents/:id`; undefined if no
   * route matched.
   */
  readonly url: string | undefined;
  /** Whether this is an upgrade to a WebSocket. */
  readonly isWebSocket: boolean;
  /** Whether the route is below the server's prefix. Built-in lists apply to no other routes. */
  readonly isBelowPrefix: boolean;
}

/** A parsed pattern such as `GET /agents/:id`, `/observability/*` or `WS /ws/observability/**`. */
export interface RoutePattern {
  /** In upper case, HEAD as GET, or `WS`; undefined for any method. */
  readonly method: string | undefined;
  readonly segments: readonly string[];
  /** The rest that may follow the segments: nothing, one or more segments, or anything. */
  readonly tail: 'nothing' | 'more' | 'anything';
}

/**
 * Parses a list of patterns. A pattern is an optional method (in any case; `WS` for upgrades; none
 * for any method) and a path of literal segments and `:parameters`. `/*` at its end matches one or
 * more further segments, `/**` any number.
 *
 * @throws ConfigurationError that names `option` for a malformed pattern.
 */
export function parsePatterns(texts: readonly string[], option: string): readonly RoutePattern[] {
  if (!Array.isArray(texts)) throw new ConfigurationError(`The option \`${option}\` must be a list of route patterns`);
  return texts.map((text: unknown) => parsePattern(text, option));
}

/**
 * Whether one of the patterns matches the route. A parameter matches a parameter of the route,
 * never a literal segment.
 */
export function matchesAny(patterns: readonly RoutePattern[], route: ResolvedRoute): boolean {
  const { url } = route;
  if (url === undefined) return false;
  const method = toMethod(route);
  const segments = toSegments(url);
  return patterns.some((pattern) => isMethod(pattern, method) && isPath(pattern, segments));
}

const methods: ReadonlySet<string> = new Set([...METHODS, 'WS']);

function parsePattern(text: unknown, option: string): RoutePattern {
  if (typeof text !== 'string') throw malformed(text, option, 'a pattern is a text');
  const parts = text.trim().split(/\s+/);
  const [first = '', second] = parts;
  const method = second === undefined ? undefined : first.toUpperCase();
  const path = second ?? first;
  if (parts.length > 2 || (method !== undefined && !methods.has(method)))
    throw malformed(text, option, 'a pattern consists of an optional method and a path');
  if (!path.startsWith('/')) throw malformed(text, option, 'its path must start with /');
  const segments = toSegments(path);
  const last = segments.at(-1);
  const tail = last === '**' ? 'anything' : last === '*' ? 'more' : 'nothing';
  const fixed = tail === 'nothing' ? segments : segments.slice(0, -1);
  for (const [index, segment] of fixed.entries()) {
    const fault = findFault(segment, index === fixed.length - 1 && tail === 'nothing');
    if (fault !== undefined) throw malformed(text, option, fault);
  }
  return { method: method === 'HEAD' ? 'GET' : method, segments: fixed, tail };
}

function findFault(segment: string, isLast: boolean): string | undefined {
  if (segment === '') return isLast ? undefined : 'it has an empty segment';
  if (segment === '.' || segment === '..') return 'clients resolve . and .. before they send a request';
  if (segment === ':') return 'a parameter needs a name';
  if (segment.includes('*')) return '* and ** must be the whole last segment of the path';
  return /[?#\\]/.test(segment) ? 'it must be a path, without a query' : undefined;
}

function malformed(text: unknown, option: string, why: string): ConfigurationError {
  return new ConfigurationError(
    `The option \`${option}\` has a malformed route pattern, ${JSON.stringify(text)}: ${why}`,
  );
}

/** HEAD counts as GET, because it reveals the same. */
function toMethod({ isWebSocket, method }: ResolvedRoute): string {
  if (isWebSocket) return 'WS';
  return method === 'HEAD' ? 'GET' : method;
}

function toSegments(url: string): readonly string[] {
  return url === '*' ? ['*'] : url.slice(1).split('/');
}

function isMethod(pattern: RoutePattern, method: string): boolean {
  return pattern.method === undefined || pattern.method === method;
}

function isPath({ segments, tail }: RoutePattern, route: readonly string[]): boolean {
  if (!segments.every((segment, index) => isSegment(segment, route[index]))) return false;
  switch (tail) {
    case 'nothing':
      return route.length === segments.length;
    case 'more':
      return (route[segments.length] ?? '') !== '';
    case 'anything':
      return true;
    default:
      return tail satisfies never;
  }
}

/**
 * A segment that consists of one parameter, in the router's syntax: `:id`, `:id?`, `:id(^\\d+$)`.
 */
const parameter = /^:[^:.()*?-]+(?:\(.*\))?\??$/;

function isSegment(pattern: string, segment: string | undefined): boolean {
  if (segment === undefined) return false;
  return pattern === segment || (parameter.test(pattern) && parameter.test(segment));
}
