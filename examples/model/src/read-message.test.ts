import { describe, expect, it } from 'vitest';
import { findDates } from './find-dates.ts';
import { findNumbers } from './find-numbers.ts';
import { readMessage, type SpanKind } from './read-message.ts';

/** A Saturday. */
const today = new Date('2026-11-21T10:00:00Z');

describe('days and times', () => {
  it.each<readonly [text: string, date: string | undefined, time: string | undefined]>([
    ['on 2026-12-24', '2026-12-24', undefined],
    ['2026-12-24T18:30:00Z', '2026-12-24', '18:30'],
    ['tomorrow at 7pm', '2026-11-22', '19:00'],
    ['the day after tomorrow', '2026-11-23', undefined],
    ['tonight', '2026-11-21', '20:00'],
    ['next Friday', '2026-11-27', undefined],
    ['on Saturday', '2026-11-28', undefined],
    ['in two weeks', '2026-12-05', undefined],
    ['May 5', '2027-05-05', undefined],
    ['5th of May 2030', '2030-05-05', undefined],
    ['December 1st', '2026-12-01', undefined],
    ['31.12.2026', '2026-12-31', undefined],
    ['12/31/2026', '2026-12-31', undefined],
    ['at 12:05 am', undefined, '00:05'],
    ['noon', undefined, '12:00'],
  ])('reads "%s"', (text, date, time) => {
    const [found] = findDates(text, today);
    expect([found?.date, found?.time]).toEqual([date, time]);
  });

  it.each(['2026-02-30', 'February 31', 'may I ask', '13 pm', 'version 1.2', '99:99'])(
    'reads no day in "%s"',
    (text) => {
      expect(findDates(text, today)).toEqual([]);
    },
  );
});

describe('numbers', () => {
  it.each<readonly [text: string, value: number, unit: string | undefined]>([
    ['1,200.50 EUR', 1200.5, 'eur'],
    ['$5k', 5000, 'usd'],
    ['€ 2 million', 2_000_000, 'eur'],
    ['5 m', 5, 'm'],
    ['-4 degrees', -4, 'degrees'],
    ['20°C', 20, '°c'],
    ['15%', 15, '%'],
    ['twenty-one days', 21, 'days'],
    ['half an hour', 0.5, 'hour'],
    ['a dozen eggs', 12, undefined],
    ['7 apples', 7, undefined],
  ])('reads "%s"', (text, value, unit) => {
    const [found] = findNumbers(text);
    expect([found?.value, found?.unit]).toEqual([value, unit]);
  });
});

describe('the pieces of a message', () => {
  const piecesOf = (message: string, kind: SpanKind): string[] =>
    readMessage(message, today)
      .spans.filter((span) => span.kind === kind)
      .map(({ text }) => text);

  it.each<readonly [message: string, kind: SpanKind, pieces: readonly string[]]>([
    ['Ask Ada Lovelace in New York and Rio de Janeiro', 'name', ['Ada Lovelace', 'New York', 'Rio de Janeiro']],
    ['Find the cheapest flight', 'name', []],
    ['Paris weather?', 'name', ['Paris']],
    ['weather in new york tomorrow', 'phrase', ['new york']],
    ['say "hello there" and ‘x’', 'quoted', ['hello there']],
    ["don't say 'good morning' to John's cat", 'quoted', ['good morning']],
    ['mail ada@example.com, see https://example.com/a?b=1.', 'email', ['ada@example.com']],
    ['mail ada@example.com, see https://example.com/a?b=1.', 'url', ['https://example.com/a?b=1']],
    ['order #1234 and ORD-77', 'id', ['1234', 'ORD-77']],
    ['call +1 555 123 4567 now', 'phone', ['+1 555 123 4567']],
    ['what is (3 plus 4) * 2', 'expression', ['(3 + 4) * 2']],
  ])('%s: %s', (message, kind, pieces) => {
    expect(piecesOf(message, kind)).toEqual(pieces);
  });

  it('belong together in an enumeration', () => {
    const groups = readMessage('weather in Paris, Rome and Oslo, or by Ada', today)
      .spans.filter(({ kind }) => kind === 'name')
      .map(({ group, text }) => [text, group]);
    const [[, first] = []] = groups;
    expect(first).toBeDefined();
    expect(groups).toEqual([
      ['Paris', first],
      ['Rome', first],
      ['Oslo', first],
      ['Ada', undefined],
    ]);
  });
});
