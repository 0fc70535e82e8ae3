import { expect, it } from 'vitest';
import { toRunTree } from './run-tree.ts';

const run = (id: string, replayedFrom?: string) => ({
  id,
  metadata: replayedFrom === undefined ? {} : { replayedFrom },
});

it('puts replays below the run that they repeat, and keeps the order otherwise', () => {
  const tree = toRunTree([run('again', 'replay'), run('new'), run('replay', 'old'), run('lone', 'gone'), run('old')]);
  expect(tree.map(({ depth, run: { id } }) => `${depth} ${id}`)).toEqual([
    '0 new',
    '0 lone',
    '0 old',
    '1 replay',
    '2 again',
  ]);
});
