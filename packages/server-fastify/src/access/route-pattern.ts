import { ConfigurationError } from '@halyard/contracts';
import { http } from '../node-http.ts';

/** Which route a request is for, as the router found it. */
export interface ResolvedRoute {
  /** As the request was sent, in capitals. */
  readonly method: string;
  /** Pattern of the route with the server's prefix taken off, `/agents/:id`; undefined where no route matched. */
  readonly url: string | undefined;
  /** Whether this is an upgrade to a WebSocket, which is no request by its method then. */
  readonly isWebSocket: boolean;
  /** Whether the route lies below the server's prefix. Built-in lists mean no others. */
  readonly isBelowPrefix: boolean;
}

/** A pattern such as `GET /agents/:id`, `/observability/*` or `WS /ws/observability/**`, parsed. */
export interface RoutePattern {
  /** In capitals, HEAD as GET, or `WS`; undefined for any. */
  readonly method: string | undefined;
  readonly segments: readonly string[];
  /** What may follow the segments: nothing, at least one more segment, or anything. */
  readonly tail: 'nothing' | 'more' | 'anything';
}

/**
 * Reads a list of patterns: an optional method (in any case, `WS` for upgrades, none for any), and a path whose segments are texts or
 * `:parameters`; `/*` at its end stands for at least one more segment, `/**` for any number.
 *
 * @throws ConfigurationError for a pattern that cannot be, naming `option`.
 */
export function parsePatterns(texts: readonly string[], option: string): readonly RoutePattern[] {
  if (!Array.isArray(texts)) throw new ConfigurationError(`The option \`${option}\` must be a list of route patterns`);
  return texts.map((text: unknown) => parsePattern(text, option));
}

/** Whether one of the patterns means the route. A parameter means a parameter of the route, never a segment that is a text. */
export function matchesAny(patterns: readonly RoutePattern[], route: ResolvedRoute): boolean {
  const { url } = route;
  if (url === undefined) return false;
  const method = methodOf(route);
  const segments = segmentsOf(url);
  return patterns.some((pattern) => isMethod(pattern, method) && isPath(pattern, segments));
}

const methods: ReadonlySet<string> = new Set([...http.METHODS, 'WS']);

function parsePattern(text: unknown, option: string): RoutePattern {
  const parts = typeof text === 'string' ? text.trim().split(/\s+/) : [];
  const [first = '', second] = parts;
  const method = second === undefined ? undefined : first.toUpperCase();
  const path = second ?? first;
  if (parts.length > 2 || (method !== undefined && !methods.has(method)))
    throw malformed(text, option, 'a pattern is an optional method and a path');
  if (!path.startsWith('/')) throw malformed(text, option, 'its path must start with /');
  const segments = segmentsOf(path);
  const last = segments.at(-1);
  const tail = last === '**' ? 'anything' : last === '*' ? 'more' : 'nothing';
  const fixed = tail === 'nothing' ? segments : segments.slice(0, -1);
  for (const [index, segment] of fixed.entries()) {
    const fault = faultOf(segment, index === fixed.length - 1 && tail === 'nothing');
    if (fault !== undefined) throw malformed(text, option, fault);
  }
  return { method: method === 'HEAD' ? 'GET' : method, segments: fixed, tail };
}

function faultOf(segment: string, isLast: boolean): string | undefined {
  if (segment === '') return isLast ? undefined : 'it has an empty segment';
  if (segment === '.' || segment === '..') return 'the router never sees . or ..';
  if (segment === ':') return 'a parameter needs a name';
  if (segment.includes('*')) return '* and ** stand alone, at the end of the path';
  return /[?#\\]/.test(segment) ? 'it must be a path, without a query' : undefined;
}

function malformed(text: unknown, option: string, why: string): ConfigurationError {
  return new ConfigurationError(
    `The option \`${option}\` has a malformed route pattern, ${JSON.stringify(text)}: ${why}`,
  );
}

/** HEAD counts as GET: it tells the same of what is there. */
function methodOf({ isWebSocket, method }: ResolvedRoute): string {
  if (isWebSocket) return 'WS';
  return method === 'HEAD' ? 'GET' : method;
}

function segmentsOf(url: string): readonly string[] {
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

/** One parameter and nothing beside it, as the router's patterns write it: `:id`, `:id?`, `:id(^\\d+$)`. */
const parameter = /^:[^:.()*?-]+(?:\(.*\))?\??$/;

function isSegment(pattern: string, segment: string | undefined): boolean {
  if (segment === undefined) return false;
  return pattern === segment || (parameter.test(pattern) && parameter.test(segment));
}
