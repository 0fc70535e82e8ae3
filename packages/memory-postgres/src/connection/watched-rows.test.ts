import { beforeEach, describe, expect, it } from 'vitest';
import { type RowState, WatchedRows } from './watched-rows.ts';

describe('polled rows', () => {
  let states: Map<string, RowState>;
  let rows: WatchedRows;
  let seen: string[];
  beforeEach(() => {
    states = new Map();
    seen = [];
    rows = new WatchedRows(async (ids) => new Map([...states].filter(([id]) => ids.includes(id))));
  });

  const watch = (id: string): (() => void) => rows.watch(id, (change) => void seen.push(`${id} ${change}`));
  const poll = async (): Promise<readonly string[]> => {
    seen = [];
    await rows.poll();
    return seen;
  };

  it('notify of the kind of change, and of nothing without one', async () => {
    states.set('a', { commit: '1', signal: '' });
    watch('a');
    expect(await poll()).toEqual(['a commit']);
    expect(await poll()).toEqual([]);
    states.set('a', { commit: '2', signal: '' });
    expect(await poll()).toEqual(['a commit']);
    states.set('a', { commit: '3', signal: '1' });
    expect(await poll()).toEqual(['a commit', 'a signal']);
    expect(await poll()).toEqual([]);
    states.delete('a');
    expect(await poll()).toEqual(['a commit', 'a signal']);
  });

  it('notify of a signal at first only if there was one', async () => {
    states.set('quiet', { commit: '1', signal: '' }).set('signalled', { commit: '1', signal: '4' });
    watch('quiet');
    watch('signalled');
    expect(await poll()).toEqual(['quiet commit', 'signalled commit', 'signalled signal']);
  });

  it('are read as long as they are watched', async () => {
    states.set('a', { commit: '1', signal: '' });
    const stop = watch('a');
    await poll();
    stop();
    states.set('a', { commit: '2', signal: '' });
    expect(await poll()).toEqual([]);
    watch('a');
    expect(await poll()).toEqual(['a commit']);
  });
});
