import { readRoutes, routeTable } from '../../../../../packages/server-fastify/src/testing/access-tables.ts';
import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { Attack } from '../harness/attack.ts';
import { RawConnection } from '../harness/raw-connection.ts';
import { envelopeFault } from '../harness/reply-faults.ts';
import { type Matched, matchRoute, type RouteModel, routeModel } from './route-model.ts';

/**
 * Methods that are sent. Those with a body have none here, so that a matched operation does
 * nothing.
 */
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'get'];
const names = [
  'x1',
  'plain',
  'approval',
  'executions',
  'bulk',
  'preview',
  'conversations',
  'static',
  '.',
  '..',
  '...',
  ':id',
  '*',
  '%2a',
];
const odd = [
  '',
  '',
  '%2f',
  '%2F',
  '%5c',
  '\\',
  '%00',
  '%20',
  '+',
  '%',
  '%zz',
  '%c3%28',
  '%e2%80%a8',
  '%25',
  '%2525',
  ';a=b',
  '%3b',
  '%3f',
  '%23',
  '~',
  'é',
];
const connections = 8;

/**
 * Random paths in every spelling. The reply must show the operation, or the lack of one, that a
 * simple model of the routes predicts.
 */
export const routes: Attack = {
  name: 'routes',
  summary: 'random paths with encodings, slashes and dots, against a model of the routes',
  plants: { 'merged-slashes': /not there|found/ },
  needsOwnTarget: 'the server must report which route it has found',
  run: async ({ bySize, open, random }) => {
    // Without access control, the handlers answer; with it, the tier shows which operation was
    // found.
    const target = await open({ mode: 'none', routesOnly: true });
    const model = routeModel(readRoutes(routeTable));
    const wanted = bySize({ planted: 3_000, short: 20_000, long: 1_000_000 });
    const findings: string[] = [];
    const found = new Set<string>();
    let left = wanted;
    const attack = async (own: SeededRandom): Promise<void> => {
      const connection = new RawConnection(target);
      try {
        while (left > 0) {
          left -= 1;
          const method = own.pick(methods);
          const path = randomPath(own, model);
          const expected = matchRoute(model, method, path);
          const reply = await connection.exchange(
            `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
            method === 'HEAD',
          );
          const seen = reply.headers.get('x-attacked-route') ?? '';
          const fault = faultOf(expected, seen, reply.status) ?? envelopeFault(reply, method);
          if (expected.kind === 'found') found.add(expected.route);
          if (fault !== undefined) findings.push(`${method} ${path}: ${fault}`);
        }
      } finally {
        connection.close();
      }
    };
    await Promise.all(Array.from({ length: connections }, () => attack(random.fork())));
    return { count: `${wanted} paths, ${found.size} routes found`, findings };
  },
};

function faultOf(expected: Matched, seen: string, status: number | undefined): string | undefined {
  switch (expected.kind) {
    case 'found':
      return seen === expected.route ? undefined : `${status} ${seen || 'not there'}, not ${expected.route}`;
    case 'not there':
      return seen === '' && status === 404 ? undefined : `${status} ${seen}, not there by the model`;
    case 'malformed':
      return seen === '' && status === 400 ? undefined : `${status} ${seen}, malformed by the model`;
    default:
      return expected satisfies never;
  }
}

/** A path of a route or of random segments, with a few characters changed. */
function randomPath(random: SeededRandom, { routes: all }: RouteModel): string {
  const { segments } = random.pick(all);
  const isRandom = random.next() < 0.15;
  const count = random.between(0, 5);
  const parts = isRandom
    ? Array.from({ length: count }, () => random.pick(names))
    : segments.map((segment) => (segment.startsWith(':') ? random.pick(names) : segment));
  const spelled = parts.map((part) => (random.next() < 0.25 ? respell(random, part) : part));
  const joined = spelled.map(
    (part) => `${random.next() < 0.04 ? random.pick(['//', '/./', '/../', '/%2f']) : '/'}${part}`,
  );
  const end =
    random.next() < 0.2 ? random.pick(['/', '//', '?', '?a=b', '?/x', '#', '#/x', '.', '%20', '/.', '*']) : '';
  return `${joined.join('') || '/'}${end}`;
}

function respell(random: SeededRandom, text: string): string {
  const at = random.between(0, Math.max(0, text.length - 1));
  const character = text[at] ?? '';
  const changed = random.pick([
    encodeCharacter(character),
    encodeCharacter(character).toLowerCase(),
    character.toUpperCase(),
    `${character}${random.pick(odd)}`,
    '',
    random.pick(odd),
  ]);
  return `${text.slice(0, at)}${changed}${text.slice(at + 1)}`;
}

function encodeCharacter(character: string): string {
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
