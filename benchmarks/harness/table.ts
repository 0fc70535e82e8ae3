import type { FigureName, Row } from '../scenarios.ts';
import type { Rounds } from './alternate.ts';
import { median } from './median.ts';
import type { AppName } from './options.ts';

const units: Record<FigureName, string> = {
  cpuMsPerRequest: 'ms',
  firstDeltaMs: 'ms',
  costRatio: '×',
  listMs: 'ms',
  startMs: 'ms',
  residentMb: 'MB',
};
const widths = [31, 11, 10, 10, 10, 14, 8, 15, 8];
const nothing = '–';

export function tableHead(): string {
  const titles = ['scenario', 'limit', 'floor', 'bare', 'halyard', 'aim / must', 'reached', '× bare (must)', 'reached'];
  return `${line(titles)}\n${line(widths.map((width) => '-'.repeat(width)))}`;
}

/** One row: the limit in its unit, the others as multiples of it where the row is relative. */
export function tableRow(row: Row, rounds: Rounds): string {
  const { figure, relative, aim, must, mustOfBare } = row;
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
    `${aim} / ${must}${relative ? '' : ` ${unit}`}`,
    reached(ours, must, aim),
    Number.isNaN(ofBare) ? nothing : `${digits(ofBare)}${mustOfBare === undefined ? '' : ` (${mustOfBare})`}`,
    mustOfBare === undefined ? '' : reached(ofBare, mustOfBare),
  ]);
}

function inUnit(rounds: Rounds, figure: FigureName, app: AppName): number {
  return median((rounds.get(app) ?? []).map((round) => round[figure] ?? Number.NaN));
}

/** The median over rounds of the ratio within a round: what the machine did meanwhile cancels out. */
function ratio(rounds: Rounds, figure: FigureName, app: AppName, to: AppName): number {
  const base = rounds.get(to) ?? [];
  return median(
    (rounds.get(app) ?? []).map(
      (round, index) => (round[figure] ?? Number.NaN) / (base[index]?.[figure] ?? Number.NaN),
    ),
  );
}

function reached(value: number, must: number, aim?: number): string {
  if (Number.isNaN(value)) return nothing;
  if (aim !== undefined && value <= aim) return 'aim';
  return value <= must ? 'must' : 'MISSED';
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
