import { describe, expect, it } from 'vitest';
import { Shares } from './shares.ts';

/** Takes slots for a subject until it is refused. Returns how many it holds then. */
function fill(shares: Shares, subject: string): number {
  while (shares.refusalOf(subject) === undefined) shares.take(subject);
  return shares.heldBy(subject);
}

describe('shares of slots', () => {
  it('give one subject about half of the slots, and the next ones a share of the rest', () => {
    const shares = new Shares({ slots: 256 });
    expect([fill(shares, 'a'), fill(shares, 'b'), fill(shares, 'c')]).toEqual([129, 64, 32]);
    expect(shares.refusalOf('a')).toBe('share-used');
    expect(shares.refusalOf('newcomer')).toBeUndefined();
  });

  it('let a subject that holds less take over what another frees', () => {
    const shares = new Shares({ slots: 8 });
    expect([fill(shares, 'a'), fill(shares, 'b')]).toEqual([5, 2]);
    shares.release('a');
    expect(shares.refusalOf('a')).toBe('share-used');
    expect(shares.refusalOf('b')).toBeUndefined();
  });

  it('use all slots for subjects of few', () => {
    const shares = new Shares({ slots: 2 });
    expect([fill(shares, 'a'), shares.refusalOf('b')]).toEqual([2, 'all-taken']);
    shares.release('a');
    expect(shares.refusalOf('b')).toBeUndefined();
  });

  it('limit a subject to a number of its own', () => {
    const shares = new Shares({ slots: 256, perSubject: 3 });
    expect([fill(shares, 'a'), shares.refusalOf('a'), shares.refusalOf('b')]).toEqual([3, 'share-used', undefined]);
  });

  it('are larger for a subject with a weight', () => {
    const shares = new Shares({ slots: 100, weightOf: (subject) => (subject === 'heavy' ? 3 : 1) });
    expect([fill(shares, 'heavy'), fill(shares, 'light')]).toEqual([76, 13]);
  });

  it('do not limit what belongs to no subject', () => {
    const shares = new Shares({ slots: 3 });
    for (let taken = 0; taken < 3; taken += 1) shares.take(undefined);
    expect([shares.taken, shares.refusalOf('a')]).toEqual([3, 'all-taken']);
    shares.release(undefined);
    expect(shares.refusalOf('a')).toBeUndefined();
  });
});

it('gives several slots at once within the same limits', () => {
  const shares = new Shares({ slots: 100, perSubject: 60 });
  expect(shares.refusalOf('one', 61)).toBe('share-used');
  expect(shares.refusalOf('one', 60)).toBeUndefined();
  shares.take('one', 50);
  expect(shares.refusalOf('one', 2)).toBe('share-used');
  expect(shares.refusalOf('other', 51)).toBe('all-taken');
  shares.take('other', 40);
  shares.release('one', 50);
  expect([shares.heldBy('one'), shares.heldBy('other'), shares.taken]).toEqual([0, 40, 40]);
});
