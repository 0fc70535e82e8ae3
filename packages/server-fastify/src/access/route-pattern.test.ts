import { ConfigurationError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { matchesAny, parsePatterns } from './route-pattern.ts';

function matches(pattern: string, method: string, url: string | undefined, isWebSocket = false): boolean {
  return matchesAny(parsePatterns([pattern], 'list'), { method, url, isWebSocket, isBelowPrefix: true });
}

it.each([
  ['GET /agents/:id', 'GET', '/agents/:id', true],
  ['get /agents/:name', 'GET', '/agents/:id', true],
  ['GET /agents/:id', 'HEAD', '/agents/:id', true],
  ['head /agents', 'GET', '/agents', true],
  ['  GET \t /agents ', 'GET', '/agents', true],
  ['/agents/', 'GET', '/agents/', true],
  ['GET /agents/:id', 'POST', '/agents/:id', false],
  ['/agents/:id', 'POST', '/agents/:id', true],
  ['GET /workflows/:id', 'GET', '/workflows/executions', false],
  ['/workflows/executions', 'GET', '/workflows/:id', false],
  ['/agents', 'GET', '/Agents', false],
  ['/agents', 'GET', '/agents/', false],
  ['/x/*', 'GET', '/x', false],
  ['/x/*', 'GET', '/x/', false],
  ['/x/*', 'GET', '/x/y', true],
  ['/x/*', 'GET', '/x/y/:z', true],
  ['/x/*', 'GET', '/x/*', true],
  ['/x/*', 'GET', '/xy', false],
  ['/x/**', 'GET', '/x', true],
  ['/x/**', 'GET', '/x/y/z', true],
  ['/x/**', 'GET', '/xy', false],
  ['/**', 'GET', '/', true],
  ['/*', 'GET', '/', false],
  ['/*', 'GET', '*', true],
  ['/x/:id', 'GET', '/x/*', false],
  ['/x/:id', 'GET', '/x/:id(^\\d+$)', true],
  ['/x/:id', 'GET', '/x/:id?', true],
  ['/x/:id', 'GET', '/x/:id.json', false],
  ['/x/:id', 'GET', '/x/::id', false],
  ['/', 'GET', '/', true],
  ['/**', 'GET', undefined, false],
] as const)('matches %s with %s %s: %s %s', (pattern, method, url, expected) => {
  expect(matches(pattern, method, url)).toBe(expected);
});

it('matches only upgrades with WS, and also upgrades without a method', () => {
  expect(matches('ws /ws', 'GET', '/ws', true)).toBe(true);
  expect(matches('WS /ws', 'GET', '/ws', false)).toBe(false);
  expect(matches('GET /ws', 'GET', '/ws', true)).toBe(false);
  expect(matches('/ws', 'GET', '/ws', true)).toBe(true);
});

const faults = {
  parts: 'an optional method and a path',
  start: 'must start with /',
  empty: 'empty segment',
  dots: 'clients resolve . and ..',
  name: 'needs a name',
  star: 'must be the whole last segment',
  query: 'without a query',
} as const;

it.each<[string, keyof typeof faults]>([
  ['', 'start'],
  ['GET', 'start'],
  ['agents', 'start'],
  ['GET agents', 'start'],
  ['FETCH /agents', 'parts'],
  ['GET /agents now', 'parts'],
  ['/a//b', 'empty'],
  ['/a//*', 'empty'],
  ['//', 'empty'],
  ['/a/*/b', 'star'],
  ['/a*', 'star'],
  ['/***', 'star'],
  ['/a/**/b', 'star'],
  ['/a/:', 'name'],
  ['/a?key=b', 'query'],
  ['/a#b', 'query'],
  ['/a/../b', 'dots'],
  ['/a/.', 'dots'],
  ['./a', 'start'],
  [String.raw`/a\b`, 'query'],
])('refuses the pattern "%s" at start, and names the fault: %s', (pattern, fault) => {
  const parse = (): unknown => parsePatterns([pattern], 'auth.publicRoutes');
  expect(parse).toThrow(ConfigurationError);
  expect(parse).toThrow('auth.publicRoutes');
  expect(parse).toThrow(faults[fault]);
});

it('refuses anything but an array of strings', () => {
  for (const list of ['/agents', 1, {}, [1], [null]])
    expect(() => parsePatterns(list as never, 'list')).toThrow(ConfigurationError);
});

it('agrees with a simple reference implementation on random patterns and routes', () => {
  const random = seeded(20_261_121);
  const pick = <Item>(items: readonly [Item, ...Item[]]): Item =>
    items[Math.floor(random() * items.length)] ?? items[0];
  let matched = 0;
  for (let round = 0; round < 5_000; round += 1) {
    const path = Array.from({ length: Math.floor(random() * 4) }, () => `/${pick(['a', 'b', 'A', ':id', ':x'])}`).join(
      '',
    );
    const pattern = `${pick(['', 'GET ', 'post ', 'HEAD ', 'WS '])}${path + pick(['', '', '/*', '/**']) || '/'}`;
    const route = Array.from({ length: Math.floor(random() * 5) }, () => `/${pick(['a', 'b', 'A', ':id', ':y'])}`).join(
      '',
    );
    const url = route + pick(['', '', '', '/', '/*']) || '/';
    const [method, isWebSocket] = [pick(['GET', 'HEAD', 'POST']), random() < 0.2];
    const expected = reference(pattern, method, url, isWebSocket);
    if (expected) matched += 1;
    expect(matches(pattern, method, url, isWebSocket), `${pattern} for ${method} ${url}`).toBe(expected);
  }
  expect(matched).toBeGreaterThan(300);
});

/** The same rules as one regular expression per pattern. */
function reference(pattern: string, method: string, url: string, isWebSocket: boolean): boolean {
  const [path = '', wanted] = pattern.split(' ').toReversed();
  const asked = isWebSocket ? 'WS' : method.replace('HEAD', 'GET');
  if (wanted !== undefined && wanted.toUpperCase().replace('HEAD', 'GET') !== asked) return false;
  const source = path
    .replace(/\/\*\*$/, '(?:/.*)?')
    .replace(/\/\*$/, '/[^/].*')
    .replaceAll(/:\w+/g, ':\\w+');
  return new RegExp(`^${source}$`).test(url);
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
