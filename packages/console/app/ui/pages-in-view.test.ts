import { expect, it } from 'vitest';
import { pagesInView, uniqueRows } from './pages-in-view.ts';

const pages = [{ rows: ['a', 'b'] }, { rows: ['c', 'd'] }, { rows: ['e'] }];

it('finds the pages that have rows in view', () => {
  expect(pagesInView(pages, [0, 1])).toEqual([0]);
  expect(pagesInView(pages, [1, 2])).toEqual([0, 1]);
  expect(pagesInView(pages, [2, 3])).toEqual([1]);
  expect(pagesInView(pages, [3, 9])).toEqual([1, 2]);
  expect(pagesInView([], [0, 0])).toEqual([]);
});

it('shows a row once that was moved by another, or has moved to the top', () => {
  expect(uniqueRows([{ rows: [1, 2] }, { rows: [2, 3] }], String)).toEqual([1, 2, 3]);
  expect(uniqueRows([{ rows: [4, 1] }, { rows: [3, 4] }], String)).toEqual([4, 1, 3]);
});
