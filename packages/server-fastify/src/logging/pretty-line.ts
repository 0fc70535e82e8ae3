import { styleText } from 'node:util';
import type { JsonObject, JsonValue } from '@halyard/contracts';
import type { LogLevelName } from './log-levels.ts';
import { fieldsOf, isObject, levelNamed, timeOf } from './to-log-record.ts';

export interface PrettyLineOptions {
  /** The field with the message. Default: `msg`. */
  readonly messageKey?: string | undefined;
}

const colors = {
  trace: 'gray',
  debug: 'blue',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: ['bgRed', 'white'],
} as const satisfies Readonly<Record<LogLevelName, Style>>;

/**
 * A line of the log as people read it in development: time, level and message, then one line per field. It is colored where the
 * standard output is a terminal. A line that is not JSON stays as it is.
 */
export function prettyLine(line: string, { messageKey = 'msg' }: PrettyLineOptions = {}): string {
  const fields = fieldsOf(line);
  if (fields === undefined) return line;

  const { hostname: _hostname, level, pid: _pid, time, [messageKey]: text, ...rest } = fields;
  const name = levelNamed(level);
  // Further lines are indented, so that a text of a user cannot look like a line of the log.
  const message = typeof text === 'string' ? printable(text).replaceAll('\n', '\n    ') : '';
  const head = `${clock(timeOf(time))}${styled(colors[name], name.toUpperCase())}: ${styled('cyan', message)}`;
  return `${[head, ...Object.entries(rest).map(([key, value]) => field(key, value))].join('\n')}\n`;
}

type Style = Parameters<typeof styleText>[0];

/** Without colors where the standard output is a file or a pipe, or `NO_COLOR` is set. */
function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** The local time of day: `[09:41:00.123] `. */
function clock(timestamp: number | undefined): string {
  if (timestamp === undefined) return '';
  const at = new Date(timestamp);
  const parts = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0'));
  return `[${parts.join(':')}.${String(at.getMilliseconds()).padStart(3, '0')}] `;
}

function field(key: string, value: JsonValue): string {
  return indented(`${styled('magenta', printable(key))}: ${isError(value) ? errorText(value) : json(value)}`);
}

interface LoggedError extends JsonObject {
  readonly stack: string;
}

/** What pino writes for an error. */
function isError(value: JsonValue): value is LoggedError {
  return isObject(value) && typeof value['stack'] === 'string' && typeof value['message'] === 'string';
}

/** The stack as lines, which contains the type and the message, then the error's own fields. */
function errorText({ message: _message, stack, type: _type, ...own }: LoggedError): string {
  const fields = Object.entries(own).map(([key, value]) => indented(`${printable(key)}: ${json(value)}`));
  return [printable(stack), ...fields].join('\n');
}

function json(value: JsonValue): string {
  return printable(JSON.stringify(value, undefined, 2));
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

/** Texts of users must not send commands to the terminal. */
function printable(text: string): string {
  return text.replaceAll(
    /[^\P{Cc}\n\t]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
