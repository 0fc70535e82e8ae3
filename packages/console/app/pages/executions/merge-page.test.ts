import { describe, expect, it } from 'vitest';
import { mergePage } from './merge-page.ts';

describe('the live list of executions', () => {
  const rows = (...ids: readonly string[]): readonly { readonly id: string }[] => ids.map((id) => ({ id }));
  const known = { rows: rows('d', 'c', 'b', 'a'), hasMore: true };

  it('replaces the entries of a page, and keeps later ones', () => {
    expect(mergePage(known, { rows: rows('e', 'd', 'c'), hasMore: true }, '')).toEqual({
      rows: rows('e', 'd', 'c', 'b', 'a'),
      hasMore: true,
    });
    expect(mergePage(known, { rows: rows('b', 'a'), hasMore: true }, 'c')).toEqual(known);
  });

  it('replaces a single row', () => {
    const two = { rows: [{ id: 'b' }, { id: 'a', status: 'running' }], hasMore: false };
    const page = { rows: [{ id: 'a', status: 'completed' }], hasMore: false };
    expect(mergePage(two, page, 'b').rows).toEqual([{ id: 'b' }, { id: 'a', status: 'completed' }]);
  });

  it('leaves out entries that no longer match', () => {
    expect(mergePage(known, { rows: rows('a'), hasMore: true }, 'c').rows).toEqual(rows('d', 'c', 'a'));
    expect(mergePage(known, { rows: [], hasMore: false }, '')).toEqual({ rows: [], hasMore: false });
  });

  it('starts again if more is new than a page contains', () => {
    const page = { rows: rows('z', 'y'), hasMore: true };
    expect(mergePage(known, page, '')).toEqual(page);
  });

  it('keeps known entries if the page is empty, and more follows', () => {
    expect(mergePage(known, { rows: [], hasMore: true }, 'c')).toEqual(known);
  });

  it('ends the list where a last page ends', () => {
    const page = { rows: rows('x'), hasMore: false };
    expect(mergePage(known, page, 'c')).toEqual({ rows: rows('d', 'c', 'x'), hasMore: false });
  });

  it('starts with the first page of an empty list', () => {
    const page = { rows: rows('a'), hasMore: false };
    expect(mergePage({ rows: [], hasMore: false }, page, '')).toEqual(page);
  });
});
