import { describe, expect, it } from 'vitest';
import { decidedRound, isBelow, isInside, outerPath, ownPlace, roundsAround, toSegments } from './place.ts';

describe('a place', () => {
  it('is below a step if it is an inner step, an item or a decision of it', () => {
    for (const place of ['a/x', 'a:3', 'a:3/x', 'a#condition', 'a:3#step-0/model'])
      expect([isBelow(place, 'a'), isBelow(place, '')]).toEqual([true, true]);
    for (const place of ['a', 'ab', 'ab/x', 'b/a', 'b#a', '']) expect(isBelow(place, 'a')).toBe(false);
    expect([isBelow('', ''), isBelow('#ending', '')]).toEqual([false, true]);
  });

  it('is inside an execution, unlike the decisions of its step', () => {
    expect(['sub/a', 'sub/a#retry', 'sub#bail', 'sub', 'sub2/a'].filter((place) => isInside(place, 'sub'))).toEqual([
      'sub/a',
      'sub/a#retry',
    ]);
    expect([ownPlace('lines:3/sub/a#retry', 'lines:3/sub'), ownPlace('a', '')]).toEqual(['a#retry', 'a']);
  });

  it('has the steps and rounds along its path, and none in the key of a call', () => {
    const place = 'lines:3/turns:0/ask#step-0/tool/x:9/y#z';
    expect(toSegments(place).at(-1)).toEqual({
      id: 'ask',
      item: undefined,
      step: 'lines:3/turns:0/ask',
      path: 'lines:3/turns:0/ask',
    });
    expect(roundsAround(place)).toEqual([
      { loop: 'lines', round: 3 },
      { loop: 'lines:3/turns', round: 0 },
    ]);
    expect([outerPath('lines:3/turns:0/ask'), outerPath('lines')]).toEqual(['lines:3/turns', '']);
  });

  it('is the decision after a round only if it is that of a step', () => {
    expect(decidedRound('lines:3/turns#condition-12')).toEqual({ loop: 'lines:3/turns', round: 12 });
    for (const place of ['turns#condition', 'turns#condition-1/x', 'ask#step-0/tool/x#condition-1', 'turns'])
      expect(decidedRound(place)).toBeUndefined();
  });
});
