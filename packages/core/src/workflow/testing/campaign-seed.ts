import { randomInt } from 'node:crypto';

/**
 * The seed of a campaign: that of `HALYARD_SEED`, which repeats a run, or a random one. It is
 * printed.
 */
export function campaignSeed(): number {
  const given = process.env['HALYARD_SEED'] ?? '';
  const seed = given === '' ? randomInt(2 ** 31) : Number(given);
  process.stdout.write(`HALYARD_SEED=${seed}\n`);
  return seed;
}
