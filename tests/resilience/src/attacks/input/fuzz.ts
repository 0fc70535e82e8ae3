import * as fc from 'fast-check';
import type { Attack } from '../harness/attack.ts';
import { type Received, send, type Sent } from '../harness/http-client.ts';
import { envelopeFault, internalsIn } from '../harness/reply-faults.ts';
import type { Target } from '../harness/target.ts';
import { type Api, type Operation, readApi } from './api-document.ts';
import { canonical, parseStream } from './event-stream.ts';
import { type SchemaContext, valuesOf } from './from-schema.ts';
import { hostileTexts, malformedBodies } from './hostile-values.ts';
import { type KnownValues, knownValues } from './known-values.ts';

/** How many operations are attacked at the same time. */
const lanes = 4;
/** These change the files of the app: they are left out on a server that is not the own target. */
const ofFiles = /^\/(?:updates|setup-observability)/;

/**
 * Sends values to every operation of `/doc` that are derived from their schemas, and compares every
 * reply with the document.
 */
export const fuzz: Attack = {
  name: 'fuzz',
  summary: 'values derived from the schemas of /doc, valid and invalid, with shrinking',
  plants: {
    'stack-in-reply': /reveals internals|500 INTERNAL/,
    'wrong-shape': /GET \/workflows: .*must/s,
    'no-request-id': /without x-request-id/,
  },
  run: async ({ bySize, open, seed, size }) => {
    const findings: string[] = [];
    let requests = 0;
    let accepted = 0;
    const seeds = size === 'planted' ? [seed] : [seed, seed + 1, seed + 2];
    const runs = bySize({ planted: 15, short: 12, long: 1_000 });
    for (const one of seeds) {
      const target = await open();
      const api = await readApi(target);
      const known = await knownValues(target);
      const operations = api.operations.filter(({ path }) => target.isOwn || !ofFiles.test(path));
      const waiting = size === 'planted' ? operations.filter(({ method }) => method === 'GET') : [...operations];
      const attack = async (): Promise<void> => {
        for (let operation = waiting.shift(); operation !== undefined; operation = waiting.shift()) {
          const { count, finding, successes } = await attackOperation(operation, {
            target,
            api,
            known,
            runs,
            seed: one,
          });
          requests += count;
          accepted += successes;
          if (finding !== undefined) findings.push(`${finding} (seed ${one})`);
        }
      };
      await Promise.all(Array.from({ length: lanes }, attack));
      await target.close();
    }
    const share = Math.round((100 * accepted) / requests);
    return { count: `${requests} requests, ${seeds.length} seeds, ${share} % accepted`, findings };
  },
};

interface Fuzzing {
  readonly target: Target;
  readonly api: Api;
  readonly known: KnownValues;
  readonly runs: number;
  readonly seed: number;
}

async function attackOperation(
  operation: Operation,
  { api, known, runs, seed, target }: Fuzzing,
): Promise<{ readonly count: number; readonly successes: number; readonly finding: string | undefined }> {
  let count = 0;
  let successes = 0;
  const property = fc.asyncProperty(requestsTo(operation, api, known), async (sent) => {
    count += 1;
    const headers = { ...target.headersOf('ada', true), ...sent.headers };
    const received = await send(target, { ...sent, headers });
    if (received.status < 300) successes += 1;
    const fault = faultOf(operation, sent, received, api);
    if (fault !== undefined) throw new Error(fault);
  });
  const { counterexample, errorInstance, failed } = await fc.check(property, {
    seed,
    numRuns: runs,
    // Shrinking sends one request for each attempt.
    plugins: [fc.interruptAfterTimeLimit(60_000)],
  });
  if (!failed) return { count, successes, finding: undefined };
  const what = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  const where = `${operation.method} ${operation.path}`;
  return {
    count,
    successes,
    finding: `${where}: ${what.slice(0, 600)}; sent ${JSON.stringify(counterexample).slice(0, 600)}`,
  };
}

/** Requests to one operation. */
function requestsTo(operation: Operation, { schemas }: Api, known: KnownValues): fc.Arbitrary<Sent> {
  const { body, method, parameters, path } = operation;
  const context: SchemaContext = { schemas, hostility: 0, known: (name) => known[fieldOf(name, path)] ?? [] };
  const careful = inputsOf({ parameters, body }, context);
  const reckless = inputsOf({ parameters, body }, { ...context, hostility: 6 });
  return fc.oneof(careful, reckless).map(({ headers, inBody, inPath, query }) => ({
    method,
    path: `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]) || '%20')}${queryOf(query)}`,
    headers: headersOf(headers),
    body:
      inBody === undefined
        ? undefined
        : typeof inBody === 'object' && inBody !== null && 'raw' in inBody
          ? String(inBody.raw)
          : JSON.stringify(inBody),
  }));
}

type Values = Readonly<Record<string, unknown>>;

interface Inputs {
  readonly inPath: Values;
  readonly query: Values;
  readonly headers: Values;
  readonly inBody: unknown;
}

function inputsOf(
  { body, parameters }: Pick<Operation, 'body' | 'parameters'>,
  context: SchemaContext,
): fc.Arbitrary<Inputs> {
  const valuesIn = (place: string): fc.Arbitrary<Values> =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, required = false, schema = {} }) => {
            const values = valuesOf(schema, context, name);
            return [name, required ? values : fc.option(values, { nil: undefined, freq: 1 })];
          }),
      ),
    );
  const extra = fc.option(fc.tuple(hostileTexts, hostileTexts), { nil: undefined, freq: 1 });
  const query = fc
    .tuple(valuesIn('query'), context.hostility === 0 ? fc.constant(undefined) : extra)
    .map(([values, more]): Values => (more === undefined ? values : { ...values, [more[0]]: more[1] }));
  return fc.record({
    inPath: valuesIn('path'),
    query,
    headers: valuesIn('header'),
    inBody: body === undefined ? fc.constant(undefined) : bodiesOf(body, context),
  });
}

function bodiesOf(schema: NonNullable<Operation['body']>, context: SchemaContext): fc.Arbitrary<unknown> {
  const valid = valuesOf(schema, context);
  if (context.hostility === 0) return valid;
  return fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: malformedBodies.map((raw) => ({ raw })) });
}

/** `id` of `/agents/{id}` is the id of an agent, and so on. */
function fieldOf(name: string, path: string): string {
  if (name !== 'id') return name;
  if (path.startsWith('/agents')) return 'agentId';
  return path.startsWith('/workflows') ? 'workflowId' : name;
}

function queryOf(values: Values): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encoded(name)}=${encoded(value)}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encoded(value: unknown): string {
  return encodeURIComponent(textOf(value).toWellFormed());
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

/** Header values in which every byte is allowed. */
function headersOf(values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, textOf(value).replaceAll(/[^\u0020-\u007E]/g, '')]],
    ),
  );
}

function faultOf({ method, path }: Operation, sent: Sent, received: Received, { check }: Api): string | undefined {
  const headers = new Map(Object.entries(received.headers).map(([name, value]) => [name, String(value)]));
  const reply = { ...received, headers };
  const general = envelopeFault(reply, method);
  if (general !== undefined) return general;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const { events, faults } = isStream ? parseStream([received.body]) : { events: [], faults: [] };
  if (faults[0] !== undefined) return faults[0];
  const body = isStream ? canonical(events) : received.body;
  const revealed = isForOperators(path) ? undefined : internalsIn(body, `${sent.path}${sent.body ?? ''}`);
  return revealed ?? check.fault(method, path, { status: received.status, headers: received.headers, body });
}

/** Documents and telemetry: spans and logs name the errors that they record. */
function isForOperators(path: string): boolean {
  return path === '/' || /^\/(?:doc|ui|observability|api\/logs)/.test(path);
}
