import { describe, expect, it } from 'vitest';
import { History, type Operation, type Outcome } from './history.ts';
import { findViolations } from './linear-check.ts';
import type { Phase } from './linear-model.ts';

type Observed = 'unknown' | 'refused' | Phase | readonly [Phase, readonly string[]];

/** An operation and the time it took. */
function call(
  kind: Operation['kind'],
  from: number,
  to: number,
  observed: Observed,
  more: Partial<Operation> = {},
): Operation {
  return { kind, replica: 'a', invokedAt: from, returnedAt: to, outcome: outcomeOf(observed), ...more };
}

function outcomeOf(observed: Observed): Outcome {
  if (observed === 'unknown' || observed === 'refused' || observed === 'absent') return { type: observed };
  const [phase, tokens] = typeof observed === 'string' ? [observed] : observed;
  return { type: 'saw', phase, tokens };
}

function reasonsOf(...operations: readonly Operation[]): readonly string[] {
  const history = new History();
  for (const operation of operations) history.add('one', operation);
  return findViolations(history).map(({ reason }) => reason);
}

const good: readonly string[] = [];
const bad = ['not linearizable'];

describe('a history', () => {
  it('is linearizable when each operation observes the ones before it', () => {
    expect(
      reasonsOf(
        call('state', 0, 1, 'absent'),
        call('start', 2, 9, ['suspended', []]),
        call('state', 3, 4, 'running'),
        call('start', 10, 11, 'refused'),
        call('resume', 12, 20, ['suspended', ['x']], { token: 'x' }),
        call('resume', 12, 21, 'refused', { token: 'y' }),
        call('resume', 22, 30, ['suspended', ['x', 'z']], { round: 1, token: 'z' }),
        call('resume', 31, 40, ['completed', ['x', 'z', 'last']], { round: 2, token: 'last' }),
        call('cancel', 41, 42, 'refused'),
        call('state', 43, 44, ['completed', ['x', 'z', 'last']]),
      ),
    ).toEqual(good);
  });

  it('is not linearizable when a read after a resumption shows the resumed suspension', () => {
    const before = [call('start', 0, 1, ['suspended', []]), call('resume', 2, 5, ['suspended', ['x']], { token: 'x' })];
    expect(reasonsOf(...before, call('state', 4, 6, ['suspended', []]))).toEqual(good);
    expect(reasonsOf(...before, call('state', 6, 7, ['suspended', []]))).toEqual(bad);
  });

  it('is not linearizable when one suspension is resumed twice', () => {
    const started = call('start', 0, 1, ['suspended', []]);
    const one = call('resume', 2, 9, ['suspended', ['x']], { token: 'x' });
    expect(reasonsOf(started, one, call('resume', 2, 9, ['suspended', ['y']], { token: 'y' }))).toEqual(bad);
    expect(reasonsOf(started, one, call('resume', 2, 9, ['suspended', ['x', 'y']], { token: 'y' }))).toEqual(bad);
    const next = call('resume', 2, 9, ['suspended', ['x', 'y']], { round: 1, token: 'y' });
    expect(reasonsOf(started, one, next)).toEqual(good);
  });

  it('is not linearizable when two starts succeed', () => {
    expect(reasonsOf(call('start', 0, 5, 'running'), call('start', 0, 5, 'running'))).toEqual(bad);
    expect(reasonsOf(call('start', 0, 5, 'running'), call('start', 0, 5, 'unknown'))).toEqual(good);
  });

  it('is not linearizable when the execution continues after its cancellation, or is cancelled after its end', () => {
    const started = call('start', 0, 1, ['suspended', []]);
    const cancelled = call('cancel', 2, 3, 'cancelled');
    expect(reasonsOf(started, cancelled, call('state', 4, 5, 'suspended'))).toEqual(bad);
    expect(reasonsOf(started, cancelled, call('cancel', 4, 5, 'cancelled'))).toEqual(bad);
    expect(reasonsOf(started, cancelled, call('cancel', 2, 5, 'cancelled'), call('cancel', 6, 7, 'refused'))).toEqual(
      good,
    );
    expect(reasonsOf(started, call('state', 2, 3, 'cancelled'))).toEqual(bad);
  });

  it('allows an operation with an unknown outcome to happen at any later time, or never', () => {
    const started = call('start', 0, 1, ['suspended', []]);
    const lost = call('resume', 2, 3, 'unknown', { token: 'lost' });
    expect(reasonsOf(started, lost, call('state', 8, 9, ['suspended', []]))).toEqual(good);
    expect(
      reasonsOf(started, lost, call('state', 8, 9, ['suspended', []]), call('state', 10, 11, ['suspended', ['lost']])),
    ).toEqual(good);
    expect(reasonsOf(started, lost, call('state', 8, 9, ['suspended', ['other']]))).toEqual(bad);
    expect(
      reasonsOf(started, lost, call('state', 4, 5, ['suspended', ['lost']]), call('state', 6, 7, ['suspended', []])),
    ).toEqual(bad);
  });

  it('is not linearizable when a suspended execution is absent or refuses a resumption', () => {
    const started = call('start', 0, 1, ['suspended', []]);
    expect(reasonsOf(started, call('state', 2, 3, 'absent'))).toEqual(bad);
    expect(reasonsOf(started, call('resume', 2, 3, 'refused', { token: 'x' }))).toEqual(bad);
  });

  it('requires that events continue those that were read before', () => {
    const started = call('start', 0, 1, ['suspended', []]);
    const read = (from: number, events: readonly string[], observed: Observed = ['suspended', []]): Operation =>
      call('events', from, from + 1, observed, { events });
    expect(reasonsOf(started, read(2, ['1', '2']), read(4, ['1', '2', '3']))).toEqual(good);
    expect(reasonsOf(started, read(2, ['1', '2']), read(4, ['1', 'x', '3']))).toHaveLength(1);
    expect(reasonsOf(started, read(2, ['1', '2']), read(4, ['1']))).toHaveLength(1);
    expect(reasonsOf(started, read(2, ['1', '2']), read(4, ['1'], 'unknown'))).toEqual(good);
  });

  it('is decided quickly, even with many concurrent operations', () => {
    const history = new History();
    history.add('one', call('start', 0, 100, ['suspended', []]));
    for (let index = 0; index < 20; index += 1) {
      history.add('one', call('resume', index, 100, 'unknown', { round: index % 3, token: `${index}` }));
      history.add('one', call('state', index, 100, ['suspended', []]));
    }
    history.add('one', call('state', 101, 102, ['completed', ['3', '7', '11']]));
    expect(findViolations(history)).toEqual([]);
    history.add('one', call('state', 103, 104, ['completed', ['3', '7', '12']]));
    expect(findViolations(history)).toHaveLength(1);
  });
});
