/** Whether a text matches a format of JSON Schema. Stricter than the standards in some cases. An unknown format accepts any text. */
export function fitsFormat(text: string, format: string): boolean {
  const check = Object.hasOwn(checks, format) ? checks[format] : undefined;
  return check === undefined || check(text);
}

/** Distinct sample texts of the format; none for formats that accept any text. `today` is a date. */
export function* examplesOf(format: string, today: string, minLength: number): Generator<string> {
  const make = Object.hasOwn(makers, format) ? makers[format] : undefined;
  if (make === undefined) return;
  const midnight = Date.parse(`${today}T00:00:00.000Z`);
  for (let count = 0; count < 60; count += 1) {
    const day = new Date(midnight + count * 86_400_000).toISOString().slice(0, 10);
    const suffix = count === 0 ? '' : String(count + 1);
    yield make(count, day, suffix);
    if (minLength > 0) yield make(count, day, `${suffix}${'x'.repeat(Math.min(minLength, 2000))}`);
  }
}

type Maker = (count: number, day: string, suffix: string) => string;

const email: Maker = (_, __, suffix) => `demo${suffix.slice(0, 60)}@${padded(suffix)}example.com`;
const dateTime: Maker = (_, day) => `${day}T12:00:00.000Z`;
const time: Maker = (count) => `12:${String(count).padStart(2, '0')}:00Z`;
const address: Maker = (_, __, suffix) => `https://example.com/${suffix}`;
const host: Maker = (_, __, suffix) =>
  `${suffix === '' ? '' : `demo${suffix.slice(0, 50)}.`}${padded(suffix)}example.com`;
const path: Maker = (_, __, suffix) => `/demo${suffix}`;

/** The labels of a host name have at most 63 characters, and the whole name at most 253. */
function padded(suffix: string): string {
  return suffix.length <= 60
    ? ''
    : 'x'.repeat(Math.min(180, suffix.length - 60)).replaceAll(/x{1,50}/gu, (label) => `${label}.`);
}

const makers: Readonly<Record<string, Maker>> = {
  date: (_, day) => day,
  'date-time': dateTime,
  'iso-date-time': dateTime,
  time,
  'iso-time': time,
  duration: (count) => `PT${count + 1}H`,
  email,
  'idn-email': email,
  hostname: host,
  'idn-hostname': host,
  ipv4: (count) => `127.0.0.${count + 1}`,
  ipv6: (count) => (count === 0 ? '::1' : `fe80:0:0:0:0:0:0:${count + 1}`),
  uri: address,
  url: address,
  iri: address,
  'uri-reference': path,
  'iri-reference': path,
  'uri-template': (_, __, suffix) => `https://example.com/{id}${suffix}`,
  uuid: (count) => `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
  'json-pointer': path,
  'relative-json-pointer': (count) => String(count),
  'json-pointer-uri-fragment': (_, __, suffix) => `#/demo${suffix}`,
  regex: (_, __, suffix) => `demo${suffix}`,
  byte: (count) => 'ZGVt'.repeat(count + 1),
};

const datePattern = /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/u;
const timePattern = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/iu;
const emailPattern = /^[a-z0-9_%+-]+(?:\.[a-z0-9_%+-]+)*@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/iu;
const hostnamePattern =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/iu;
const uriPattern = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:[/?#][a-z0-9\-._~:/?#@!$&'()*+,;=%]*)?$/iu;
const uriReferencePattern = /^[a-z0-9\-._~/?@!$&'()*+,;=]+$/iu;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  'date-time': (text) => /^.{10}T/iu.test(text) && isDate(text.slice(0, 10)) && timePattern.test(text.slice(11)),
  'iso-date-time': (text) => /^.{10}T/iu.test(text) && isDate(text.slice(0, 10)) && timePattern.test(text.slice(11)),
  time: (text) => timePattern.test(text),
  'iso-time': (text) => timePattern.test(text),
  duration: (text) =>
    /^P(?!$)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/u.test(text) || /^P\d+W$/u.test(text),
  email: (text) => emailPattern.test(text),
  'idn-email': (text) => emailPattern.test(text),
  hostname: (text) => hostnamePattern.test(text),
  'idn-hostname': (text) => hostnamePattern.test(text),
  ipv4: (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?=\d)|$)){4}$/u.test(text),
  ipv6: (text) => /^(?:::1|(?:[\da-f]{1,4}:){7}[\da-f]{1,4})$/iu.test(text),
  uri: (text) => uriPattern.test(text) && !/%(?![\da-f]{2})/iu.test(text),
  url: (text) =>
    /^https?:\/\//iu.test(text) &&
    /^[^/]*\/\/[^/?#]*\.[a-z]{2,}/iu.test(text) &&
    uriPattern.test(text) &&
    !text.includes('%'),
  iri: (text) => uriPattern.test(text),
  'uri-reference': (text) => (uriPattern.test(text) || uriReferencePattern.test(text)) && !text.includes('%'),
  'iri-reference': (text) => uriPattern.test(text) || uriReferencePattern.test(text),
  'uri-template': (text) => /^(?:[a-z0-9\-._~:/?#@!$&()*+,;=]|\{[a-z0-9_]+\})+$/iu.test(text),
  uuid: (text) => /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[089ab][\da-f]{3}-[\da-f]{12}$/iu.test(text),
  'json-pointer': (text) => /^(?:\/(?:[^~/]|~0|~1)*)*$/u.test(text),
  'relative-json-pointer': (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~0|~1)*)*)$/u.test(text),
  'json-pointer-uri-fragment': (text) => /^#(?:\/[a-z0-9_-]*)*$/iu.test(text),
  regex: (text) => /^[a-z0-9 ]*$/iu.test(text),
  byte: (text) => /^(?:[a-z0-9+/]{4})*(?:[a-z0-9+/]{2}==|[a-z0-9+/]{3}=)?$/iu.test(text),
};

function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  if (match === null) return false;
  const made = new Date(`${text}T00:00:00.000Z`);
  return !Number.isNaN(made.getTime()) && made.toISOString().startsWith(text);
}
