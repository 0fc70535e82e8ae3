import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { framesIn, gateOf, requestWorkflows, workflows } from '../../../testing/workflows.ts';

let server: Served;
beforeAll(async () => {
  server = await serve([], { workflows });
});
afterAll(() => server.close());

function run(workflow: string, input: unknown, executionId?: string): Promise<Response> {
  return fetch(`${server.origin}/workflows/${workflow}/stream`, json({ input, options: { executionId } }));
}

function attach(path: string, init?: RequestInit): Promise<Response> {
  return fetch(`${server.origin}/workflows/${path}`, init);
}

type Frames = ReturnType<typeof framesIn>;
const framesOf = async (response: Promise<Response>): Promise<Frames> => framesIn(await (await response).text());
const typesOf = (frames: Frames): unknown[] => frames.map(({ event }) => event['type']);

const approvalStart = [
  'workflow-start',
  'step-start',
  'step-complete',
  'step-start',
  'workflow-suspended',
  'workflow-result',
];
const approvalEnd = ['step-complete', 'step-start', 'step-complete', 'workflow-complete', 'workflow-result'];

describe('the stream of a run', () => {
  it('sends each event with its number, step and time', async () => {
    const response = await run('sum', { a: 1, b: 2 }, 'given');
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-execution-id')).toBe('given');
    const frames = framesIn(await response.text());
    const timestamp = expect.stringMatching(/^\d{4}-.*Z$/);
    const common = { executionId: 'given', timestamp };
    const step = { stepType: 'andThen', status: 'success' };
    expect(frames).toEqual(
      [
        { type: 'workflow-start', from: 'sum', input: { a: 1, b: 2 } },
        { type: 'step-start', from: 'add', stepType: 'andThen', stepIndex: 0, input: { a: 1, b: 2 } },
        { type: 'step-complete', from: 'add', stepIndex: 0, ...step, output: { sum: 3 } },
        { type: 'step-start', from: 'done', stepType: 'andThen', stepIndex: 1, input: { sum: 3 } },
        { type: 'step-complete', from: 'done', stepIndex: 1, ...step, output: { sum: 3 } },
        { type: 'workflow-complete', from: 'sum', output: { sum: 3 } },
        {
          type: 'workflow-result',
          from: 'sum',
          status: 'completed',
          result: { sum: 3 },
          startAt: timestamp,
          endAt: timestamp,
        },
      ].map((event, index) => ({ id: index + 1, event: { ...event, ...common, seq: index + 1 } })),
    );
  });

  it('ends when the run is suspended', async () => {
    const frames = await framesOf(run('approval', { total: 1 }));
    expect(typesOf(frames)).toEqual(approvalStart);
    const suspension = { reason: 'needs approval', stepId: 'approve', suspendedStepIndex: 1 };
    expect(frames[4]?.event).toMatchObject({ suspension });
    expect(frames[5]?.event).toMatchObject({ status: 'suspended', result: null, endAt: null, suspension });
  });

  it('ends with the error of a run that failed', async () => {
    const frames = await framesOf(run('broken', {}));
    expect(typesOf(frames)).toEqual([
      'workflow-start',
      'step-start',
      'step-error',
      'workflow-error',
      'workflow-result',
    ]);
    const error = { message: 'Step "explode" failed', stepId: 'explode', code: 'STEP_FAILED' };
    expect(frames[2]?.event).toMatchObject({ from: 'explode', error: 'Step "explode" failed' });
    expect(frames[3]?.event).toMatchObject({ error });
    expect(frames[4]?.event).toMatchObject({ status: 'error', error, result: null });
  });

  it('ends with the cancellation of a run that was cancelled', async () => {
    const frames = await framesOf(run('quitter', {}));
    expect(typesOf(frames).slice(-2)).toEqual(['workflow-cancelled', 'workflow-result']);
    expect(frames.at(-2)?.event).toMatchObject({ reason: 'no more' });
  });

  it('sends the custom events of steps, and the live events of agents', async () => {
    const frames = await framesOf(run('talker', {}, 'talked'));
    expect(frames.find(({ event }) => event['type'] === 'custom-progress')).toMatchObject({
      id: expect.any(Number),
      event: { percent: 50, from: 'say', executionId: 'talked', seq: 3 },
    });
    const live = frames.filter(({ event }) => event['type'] === 'agent-event');
    expect(live.map(({ id }) => id)).toEqual(live.map(() => undefined));
    expect(live.every(({ event }) => !('seq' in event) && event['from'] === 'think')).toBe(true);
    expect(live.map(({ event }) => (event['event'] as { delta?: string }).delta).join('')).toBe('well done');
    expect(frames.at(-1)?.event).toMatchObject({ type: 'workflow-result', status: 'completed' });
    const numbers = frames.flatMap(({ id }) => id ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  it.each([
    ['nothing', { input: {} }, 404, 'WORKFLOW_NOT_FOUND'],
    ['sum', { input: { a: 'x' } }, 400, 'INVALID_INPUT'],
    ['sum', {}, 400, 'INVALID_INPUT'],
  ])('does not start for %s with %j', async (workflow, body, status, code) => {
    expect(await requestWorkflows(server.origin, `/${workflow}/stream`, body)).toMatchObject({ status, code });
  });

  it('does not start with an id that is in use', async () => {
    await (await run('sum', { a: 1, b: 2 }, 'once')).text();
    const body = { input: { a: 1, b: 2 }, options: { executionId: 'once' } };
    expect(await requestWorkflows(server.origin, '/sum/stream', body)).toMatchObject({
      status: 409,
      code: 'EXECUTION_EXISTS',
    });
  });

  it('does not end the execution when the client disconnects', async () => {
    const client = new AbortController();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    server.app.server.once('request', (_, response) => response.once('close', leave));
    const body = json({ input: { gate: 'unseen' }, options: { executionId: 'unseen' } });
    await fetch(`${server.origin}/workflows/gated/stream`, { ...body, signal: client.signal });
    const signal = await gateOf('unseen').entered;
    client.abort();
    await left;
    expect(signal.aborted).toBe(false);
    const rest = framesOf(attach('gated/executions/unseen/stream'));
    gateOf('unseen').open();
    expect((await rest).at(-1)?.event).toMatchObject({ status: 'completed', result: 'through' });
  });
});

describe('attaching', () => {
  it('sends all events from the start, earlier suspensions included', async () => {
    await (await run('approval', { total: 1 }, 'resumed')).text();
    await requestWorkflows(server.origin, '/approval/executions/resumed/resume', { resumeData: { by: 'ada' } });
    const frames = await framesOf(attach('approval/executions/resumed/stream'));
    expect(typesOf(frames)).toEqual([...approvalStart, ...approvalEnd]);
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => index + 1));
  });

  it.each<readonly [string, string, Record<string, string>, number | undefined]>([
    ['the event that the browser saw last', '', { 'last-event-id': '4' }, 5],
    ['the event that is named', '?from=4', {}, 5],
    ['what the browser saw, which is later', '?from=2', { 'last-event-id': '4' }, 5],
    ['nothing at all', '?from=0', {}, 1],
    ['the last event', '?from=7', {}, undefined],
    ['an event that never was', '?from=1000', {}, undefined],
  ])('continues after %s', async (_, query, headers, first) => {
    const id = `seen-${Object.keys(headers).length}${query.replace(/\W/g, '-')}`;
    await (await run('sum', { a: 1, b: 2 }, id)).text();
    const frames = await framesOf(attach(`sum/executions/${id}/stream${query}`, { headers }));
    expect(frames[0]?.id).toBe(first);
    expect(frames.at(-1)?.id).toBe(first === undefined ? undefined : 7);
  });

  it.each([
    ['sum', 'has ended', 7, 204],
    ['sum', 'ended before this event', 1000, 204],
    ['broken', 'has failed', 5, 204],
    ['approval', 'is suspended, and may continue', 6, 200],
  ])(
    'after the last event of "%s", which %s, sends nothing: event %i, status %i',
    async (workflow, _, last, status) => {
      const id = `idle-${workflow}-${last}`;
      await (await run(workflow, { a: 1, b: 2, total: 1 }, id)).text();
      for (const asked of [{ query: `?from=${last}` }, { headers: { 'last-event-id': `${last}` } }]) {
        const response = await attach(`${workflow}/executions/${id}/stream${asked.query ?? ''}`, asked);
        expect([response.status, await response.text()]).toEqual([status, '']);
      }
      expect(await framesOf(attach(`${workflow}/executions/${id}/stream?from=${Math.min(last, 7) - 1}`))).toHaveLength(
        1,
      );
    },
  );

  it('follows a running execution', async () => {
    const first = await run('gated', { gate: 'live' }, 'live');
    await gateOf('live').entered;
    const second = attach('gated/executions/live/stream?from=1');
    const third = attach('gated/executions/live/stream?from=2');
    gateOf('live').open();
    const all = framesIn(await first.text());
    const [most, rest] = await Promise.all([framesOf(second), framesOf(third)]);
    expect(most).toEqual(all.slice(1));
    expect(rest).toEqual(all.slice(2));
  });

  it('sends a suspension that another request causes', async () => {
    const followed = run('gated', { gate: 'stopped' }, 'stopped');
    const signal = await gateOf('stopped').entered;
    const aborted = once(signal, 'abort');
    const answer = requestWorkflows(server.origin, '/gated/executions/stopped/suspend', { reason: 'lunch' });
    await aborted;
    gateOf('stopped').open();
    expect(await answer).toMatchObject({ status: 200 });
    expect(typesOf(await framesOf(followed)).slice(-2)).toEqual(['workflow-suspended', 'workflow-result']);
  });

  it.each([
    ['sum/executions/unknown/stream', {}, 404, 'EXECUTION_NOT_FOUND'],
    ['sum/executions/unknown/stream?from=-1', {}, 400, 'INVALID_INPUT'],
    ['sum/executions/unknown/stream?from=x', {}, 400, 'INVALID_INPUT'],
    ['sum/executions/unknown/stream?from=Infinity', {}, 400, 'INVALID_INPUT'],
    ['sum/executions/unknown/stream?from=2147483648', {}, 400, 'INVALID_INPUT'],
    ['sum/executions/unknown/stream', { 'last-event-id': '1e300' }, 400, 'INVALID_INPUT'],
    ['sum/executions/unknown/stream', { 'last-event-id': 'x' }, 400, 'INVALID_INPUT'],
  ])('replies to %s with %i', async (path, headers, status, code) => {
    const response = await attach(path, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-error-code')).toBe(code);
    expect(await response.json()).toMatchObject({ success: false });
  });

  it('requires the workflow of the execution', async () => {
    await (await run('sum', { a: 1, b: 2 }, 'mine')).text();
    expect((await attach('broken/executions/mine/stream')).status).toBe(404);
  });
});
