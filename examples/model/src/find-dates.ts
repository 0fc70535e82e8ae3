/** A date or time in a text. `date` is `2026-05-31`, `time` is `19:30`; at least one is defined. */
export interface FoundDate {
  readonly date?: string;
  readonly time?: string;
  readonly start: number;
  readonly end: number;
}

/** The dates and times in a text (`tomorrow at 7pm`, `May 5`, `next Friday`, `2026-05-31`), relative to `today` in UTC. */
export function findDates(text: string, today: Date): readonly FoundDate[] {
  const found: FoundDate[] = [];
  const add = (match: RegExpMatchArray, parts: { date?: string | undefined; time?: string | undefined }): void => {
    const start = match.index ?? 0;
    const end = start + match[0].trimEnd().length;
    if (found.some((other) => start < other.end && other.start < end)) return;
    const { date, time } = parts;
    if (date === undefined && time === undefined) return;
    found.push({ start, end, ...(date === undefined ? {} : { date }), ...(time === undefined ? {} : { time }) });
  };
  for (const match of text.matchAll(
    /\b(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?(?![\d-])/gu,
  )) {
    add(match, {
      date: dateOf(Number(match[1]), Number(match[2]), Number(match[3])),
      time: timeOf(match[4], match[5], undefined),
    });
  }
  for (const match of text.matchAll(/\b(\d{1,2})([./])(\d{1,2})\2(\d{4})\b/gu)) {
    // 31.5.2026 has the day first, 5/31/2026 the month first. If that is not a valid date, the other order is used.
    const [first, second] = [Number(match[1]), Number(match[3])];
    const monthFirst = match[2] === '/' ? first <= 12 : second > 12;
    add(match, {
      date: monthFirst ? dateOf(Number(match[4]), first, second) : dateOf(Number(match[4]), second, first),
    });
  }
  for (const match of text.matchAll(
    new RegExp(`\\b(?:${monthNames})\\.? (\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?\\b(?!:)`, 'giu'),
  )) {
    add(match, { date: namedDay(match[0], Number(match[1]), match[2], today) });
  }
  for (const match of text.matchAll(
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (?:${monthNames})\\b(?:,? (\\d{4}))?`, 'giu'),
  )) {
    add(match, { date: namedDay(match[0], Number(match[1]), match[2], today) });
  }
  for (const match of text.matchAll(
    /\b(?:the day after tomorrow|tomorrow|today|tonight|yesterday|next week|in (\d{1,3}|an?|one|two|three) (day|week|month)s?)\b/giu,
  )) {
    add(match, { date: relativeDay(match, today), ...(match[0].toLowerCase() === 'tonight' ? { time: '20:00' } : {}) });
  }
  for (const match of text.matchAll(
    /\b(next |this |on )?(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/giu,
  )) {
    const ahead = (weekdays.indexOf((match[2] ?? '').toLowerCase()) - today.getUTCDay() + 7) % 7;
    add(match, { date: daysFrom(today, ahead === 0 ? 7 : ahead) });
  }
  for (const match of text.matchAll(
    /\b([01]?\d|2[0-3])(?::([0-5]\d)(?::[0-5]\d)?)?(?: ?([ap])\.?m\b\.?)?(?! ?(?:st|nd|rd|th)\b)/giu,
  )) {
    if (match[2] !== undefined || match[3] !== undefined) add(match, { time: timeOf(match[1], match[2], match[3]) });
  }
  for (const match of text.matchAll(/\b(noon|midday|midnight)\b/giu))
    add(match, { time: match[1]?.toLowerCase() === 'midnight' ? '00:00' : '12:00' });
  return joined(
    found.toSorted((a, b) => a.start - b.start),
    text,
  );
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthNames =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Joins an adjacent date and time (`Friday at 10:00`). */
function joined(found: readonly FoundDate[], text: string): readonly FoundDate[] {
  const whole: FoundDate[] = [];
  for (const next of found) {
    const last = whole.at(-1);
    const between = last === undefined ? 'x' : text.slice(last.end, next.start);
    const fits =
      last !== undefined &&
      (last.date === undefined || next.date === undefined) &&
      (last.time === undefined || next.time === undefined);
    if (fits && /^[\s,]*(?:at|on|around|by)?\s*$/iu.test(between))
      whole[whole.length - 1] = { ...last, ...next, start: last.start };
    else whole.push(next);
  }
  return whole;
}

function timeOf(hours: string | undefined, minutes: string | undefined, half: string | undefined): string | undefined {
  if (hours === undefined) return undefined;
  const clock = Number(hours);
  if (half !== undefined && (clock < 1 || clock > 12)) return undefined;
  const hour = half === undefined ? clock : (clock % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes ?? '00'}`;
}

function dateOf(year: number, month: number, day: number): string | undefined {
  const made = new Date(Date.UTC(year, month - 1, day));
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === day ? made.toISOString().slice(0, 10) : undefined;
}

function namedDay(text: string, day: number, year: string | undefined, today: Date): string | undefined {
  const month = months.findIndex((name) => new RegExp(`\\b${name}`, 'iu').test(text)) + 1;
  if (year !== undefined) return dateOf(Number(year), month, day);
  const thisYear = dateOf(today.getUTCFullYear(), month, day);
  return thisYear !== undefined && thisYear < today.toISOString().slice(0, 10)
    ? dateOf(today.getUTCFullYear() + 1, month, day)
    : thisYear;
}

function relativeDay(match: RegExpMatchArray, today: Date): string {
  const phrase = match[0].toLowerCase();
  if (match[2] !== undefined) {
    const count = { a: 1, an: 1, one: 1, two: 2, three: 3 }[match[1]?.toLowerCase() ?? ''] ?? Number(match[1]);
    return daysFrom(today, count * (match[2].toLowerCase() === 'day' ? 1 : match[2].toLowerCase() === 'week' ? 7 : 30));
  }
  const days =
    phrase === 'tomorrow'
      ? 1
      : phrase === 'yesterday'
        ? -1
        : phrase === 'next week'
          ? 7
          : phrase.startsWith('the day')
            ? 2
            : 0;
  return daysFrom(today, days);
}

function daysFrom(today: Date, days: number): string {
  return new Date(today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
