import * as fc from 'fast-check';
import type { Attack } from '../harness/attack.ts';
import { send } from '../harness/http-client.ts';
import type { Target } from '../harness/target.ts';
import { parseStream } from './event-stream.ts';

const breaks = ['\n', '\r', '\r\n', '\n\n', '\u2028', '\u2029', '\u0085', '\u0000', '\u000B', '\u001E', '\uFEFF'];
const fields = [
  'data: ',
  'data:',
  'event: finish',
  'id: 7',
  'retry: 1',
  ': comment',
  '[DONE]',
  '{"type":"finish"}',
  '\\n',
];
/** Each code unit of an emoji by itself: models may split them. */
const halves = ['👩‍🚀', '🏳️‍🌈', '𝒳'].flatMap((text) => text.split(''));

const piece = fc.oneof(
  fc.constantFrom(...breaks),
  fc.constantFrom(...fields),
  fc.constantFrom(...halves),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);
/**
 * The pieces in which a model streams its text, and the places at which the reply is cut when it is
 * read.
 */
const cases = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 12 }),
  cuts: fc.array(fc.nat({ max: 2_000 }), { maxLength: 20 }),
});

interface Route {
  readonly path: string;
  readonly bodyOf: (pieces: readonly string[]) => object;
  readonly textOf: (events: readonly Readonly<Record<string, unknown>>[]) => string;
}

const deltasOf: Route['textOf'] = (events) =>
  events.flatMap(({ delta, type }) => (type === 'text-delta' ? [String(delta)] : [])).join('');
const turnOf = (pieces: readonly string[]): object => ({ input: JSON.stringify({ text: pieces }) });

const routes: readonly Route[] = [
  { path: '/agents/puppet/stream', bodyOf: turnOf, textOf: deltasOf },
  { path: '/agents/puppet/chat', bodyOf: turnOf, textOf: deltasOf },
  {
    path: '/agents/puppet/stream-object',
    bodyOf: (pieces) => ({
      input: JSON.stringify({ text: [JSON.stringify({ said: pieces.join('') })] }),
      schema: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'] },
    }),
    textOf: (events) => {
      const { object } = (events.findLast(({ type }) => type === 'object') ?? {}) as { object?: { said?: string } };
      return object?.said ?? '';
    },
  },
  {
    path: '/workflows/echo/stream',
    bodyOf: (pieces) => ({ input: { said: pieces.join('') } }),
    textOf: (events) => {
      const { result } = (events.at(-1) ?? {}) as { result?: { said?: string } };
      return result?.said ?? '';
    },
  },
];

/**
 * Lets models and workflows emit texts that look like parts of an event stream, and reads them with
 * another parser.
 */
export const framing: Attack = {
  name: 'framing',
  summary: 'texts with line breaks, event-stream syntax and split emoji, read by another parser',
  plants: { 'raw-line-breaks': /not JSON|not valid|differs/ },
  needsOwnTarget: 'it needs a model that answers as the attack tells it',
  run: async ({ bySize, open, seed }) => {
    const target = await open();
    const findings: string[] = [];
    let count = 0;
    for (const route of routes) {
      const property = fc.asyncProperty(cases, async ({ cuts, pieces }) => {
        count += 1;
        const fault = await faultOf(target, route, pieces, cuts);
        if (fault !== undefined) throw new Error(fault);
      });
      const result = await fc.check(property, { seed, numRuns: bySize({ planted: 20, short: 250, long: 50_000 }) });
      if (result.failed)
        findings.push(`${route.path}: ${String(result.errorInstance)}; ${JSON.stringify(result.counterexample)}`);
    }
    return { count: `${count} streams`, findings };
  },
};

async function faultOf(
  target: Target,
  { bodyOf, path, textOf }: Route,
  pieces: readonly string[],
  cuts: readonly number[],
): Promise<string | undefined> {
  const headers = target.headersOf('ada');
  const { body, status } = await send(target, { method: 'POST', path, headers, body: JSON.stringify(bodyOf(pieces)) });
  if (status !== 200) return `${status} ${body.slice(0, 200)}`;
  const whole = parseStream([body]);
  const inPieces = parseStream(cutAt(body, cuts));
  if (whole.faults[0] !== undefined) return whole.faults[0];
  if (JSON.stringify(inPieces.events) !== JSON.stringify(whole.events)) return 'the stream depends on how it arrives';
  const events: Readonly<Record<string, unknown>>[] = [];
  for (const { data } of whole.events) {
    if (data === '[DONE]') continue;
    try {
      events.push(JSON.parse(data) as Readonly<Record<string, unknown>>);
    } catch {
      return `an event is not JSON: ${JSON.stringify(data.slice(0, 200))}`;
    }
  }
  const [sent, received] = [pieces.join(''), textOf(events)];
  return sent === received ? undefined : `the text differs: ${JSON.stringify(received)}, not ${JSON.stringify(sent)}`;
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const places = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length];
  return places.slice(1).map((end, index) => text.slice(places[index], end));
}
