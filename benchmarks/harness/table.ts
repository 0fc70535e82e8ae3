import type { FigureName, Row } from '../scenarios.ts';
import type { Rounds } from './alternate.ts';
import { median } from './median.ts';
import type { AppName } from './options.ts';

const units: Record<FigureName, string> = {
  cpuMsPerRequest: 'ms',
  firstDeltaMs: 'ms',
  costRatio: '×',
  listMs: 'ms',
  tracesMs: 'ms',
  historyMs: 'ms',
  startMs: 'ms',
  residentMb: 'MB',
};
const widths = [31, 11, 10, 10, 10, 8, 8, 9];
const nothing = '–';

export function tableHead(): string {
  const titles = ['scenario', 'limit', 'floor', 'bare', 'halyard', 'must', 'reached', '× bare'];
  return `${line(titles)}\n${line(widths.map((width) => '-'.repeat(width)))}`;
}

/**
 * One row: `limit` in its unit; the other apps as multiples of it if the row is relative, else in
 * the unit.
 */
export function tableRow(row: Row, rounds: Rounds): string {
  const { figure, relative, must } = row;
  const unit = units[figure];
  const cell = (app: AppName): string => {
    const value = relative ? ratio(rounds, figure, app, 'limit') : inUnit(rounds, figure, app);
    return Number.isNaN(value) ? nothing : `${digits(value)} ${relative ? '×' : unit}`;
  };
  const limit = inUnit(rounds, figure, 'limit');
  const ours = relative ? ratio(rounds, figure, 'halyard', 'limit') : inUnit(rounds, figure, 'halyard');
  const ofBare = ratio(rounds, figure, 'halyard', 'bare');
  return line([
    row.label,
    Number.isNaN(limit) ? nothing : `${digits(limit)} ${unit}`,
    cell('floor'),
    cell('bare'),
    cell('halyard'),
    must === undefined ? nothing : `${must} ${relative ? '×' : unit}`,
    must === undefined || Number.isNaN(ours) ? nothing : ours <= must ? 'yes' : 'MISSED',
    Number.isNaN(ofBare) ? nothing : digits(ofBare),
  ]);
}

function inUnit(rounds: Rounds, figure: FigureName, app: AppName): number {
  return median((rounds.get(app) ?? []).map((round) => round[figure] ?? Number.NaN));
}

/**
 * The median over all rounds of the ratio within a round. Other load on the machine affects both
 * apps of a round and cancels out.
 */
function ratio(rounds: Rounds, figure: FigureName, app: AppName, to: AppName): number {
  const base = rounds.get(to) ?? [];
  return median(
    (rounds.get(app) ?? []).map(
      (round, index) => (round[figure] ?? Number.NaN) / (base[index]?.[figure] ?? Number.NaN),
    ),
  );
}

function digits(value: number): string {
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value >= 1 ? value.toFixed(2) : value.toFixed(3);
}

function line(cells: readonly string[]): string {
  return cells
    .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
    .join(' ')
    .trimEnd();
}
