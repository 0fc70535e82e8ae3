import * as fc from 'fast-check';

/**
 * Lets the properties of a test file draw the same values in each run. A campaign sets another
 * seed, which fast-check prints if a property fails.
 */
export function seedProperties(): void {
  fc.configureGlobal({ seed: Number(process.env['HALYARD_SEED'] ?? 1) });
}
