export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The slope of a straight line through points, with its 95 % confidence interval. */
export interface Trend {
  readonly slope: number;
  readonly low: number;
  readonly high: number;
}

/** Neighbouring samples depend on each other: the means of this many blocks depend less. */
const maxBlocks = 24;

/**
 * Fits a line by least squares to the means of blocks of points. @param points ordered by x; fewer
 * than four have no trend.
 */
export function trendOf(points: readonly Point[]): Trend | undefined {
  if (points.length < 4) return undefined;
  const blocks = blockMeans(points, Math.min(maxBlocks, points.length));
  const meanX = mean(blocks.map(({ x }) => x));
  const meanY = mean(blocks.map(({ y }) => y));
  const spread = sum(blocks.map(({ x }) => (x - meanX) ** 2));
  const slope = sum(blocks.map(({ x, y }) => (x - meanX) * (y - meanY))) / spread;
  const freedom = blocks.length - 2;
  const residuals = sum(blocks.map(({ x, y }) => (y - meanY - slope * (x - meanX)) ** 2));
  const halfWidth = studentQuantile(freedom) * Math.sqrt(residuals / freedom / spread);
  return { slope, low: slope - halfWidth, high: slope + halfWidth };
}

export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The smallest value that `share` percent of the values do not exceed; 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((share / 100) * sorted.length) - 1)] ?? 0;
}

function blockMeans(points: readonly Point[], count: number): readonly Point[] {
  return Array.from({ length: count }, (_, index) => {
    const block = points.slice(
      Math.floor((index * points.length) / count),
      Math.floor(((index + 1) * points.length) / count),
    );
    return { x: mean(block.map(({ x }) => x)), y: mean(block.map(({ y }) => y)) };
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}

/**
 * The 97.5 % quantile of Student's t, by its expansion in 1 / degrees of freedom (Abramowitz and
 * Stegun 26.7.5).
 */
function studentQuantile(freedom: number): number {
  return 1.96 + 2.372 / freedom + 2.823 / freedom ** 2 + 2.556 / freedom ** 3;
}
