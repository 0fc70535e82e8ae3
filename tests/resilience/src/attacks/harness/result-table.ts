/** The result of one attack. */
export interface Row {
  readonly attack: string;
  readonly count: string;
  readonly found: string;
  readonly target: string;
  /** Undefined: it could not be attempted on this machine. */
  readonly isMet: boolean | undefined;
}

/** The rows as a Markdown table. */
export function resultTable(rows: readonly Row[]): string {
  const lines = [
    ['attack', 'size', 'found', 'target', 'met'],
    ...rows.map(({ attack, count, found, isMet, target }) => [
      attack,
      count,
      found,
      target,
      isMet === undefined ? 'not here' : isMet ? 'yes' : 'NO',
    ]),
  ];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const [head = '', ...body] = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n');
}
