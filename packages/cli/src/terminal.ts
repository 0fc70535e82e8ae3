import { stripVTControlCharacters, styleText } from 'node:util';

/** The styles that the program uses. */
type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';

/** Results go to the standard output, so that they can be piped. */
export function print(text = ''): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a line for people, which is not part of the result. */
export function tell(text = ''): void {
  process.stderr.write(`${text}\n`);
}

/** Styled if the stream is a terminal, unless NO_COLOR is set. */
export function style(
  text: string,
  format: Style | readonly Style[],
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(typeof format === 'string' ? format : [...format], text, { stream });
}

/**
 * A text of somebody else, such as the reply of a server, without what would command the terminal.
 */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');
}

/**
 * JSON that says the same, without what would command the terminal if the standard output is one.
 */
export function plainJson(json: string, { isTTY = false }: { readonly isTTY?: boolean } = process.stdout): string {
  if (!isTTY) return json;
  return json.replaceAll(
    /[^\P{Cc}\n\t]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Rows with aligned columns. Numbers are aligned right. Styles may be applied to a cell by
 * `decorate`, after its width is known.
 */
export function table(
  rows: readonly (readonly (string | number)[])[],
  decorate: (text: string, column: number, row: number) => string = (text) => text,
): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : cell)));
  const isNumeric = (column: number): boolean => rows.some((row) => typeof row[column] === 'number');
  const widths = (texts[0] ?? []).map((_, column) => Math.max(...texts.map((row) => (row[column] ?? '').length)));
  return texts
    .map((row, rowIndex) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return decorate(isNumeric(column) ? cell.padStart(width) : cell.padEnd(width), column, rowIndex);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** 12345 as `12 345`. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ' ');
}

/** `1 record`, `2 records`. */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** 1234567 as `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ''}`;
}
