import { readFileSync } from 'node:fs';

/**
 * The environment lacks settings, or contains invalid ones. The message names all of them, and
 * contains no value.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const shortestSecretBytes = 32;

interface WholeNumber {
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Reads settings and collects what is wrong with them. A setting is in a variable (`DATABASE_URL`),
 * or in a file that a variable names (`DATABASE_URL_FILE`), such as a mounted secret. Blank ones
 * count as missing.
 */
export class Environment {
  readonly #env: NodeJS.ProcessEnv;
  readonly #problems = new Set<string>();

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** @throws SettingsError when a setting that was read is missing or invalid. */
  check(): void {
    if (this.#problems.size === 0) return;
    throw new SettingsError(`The settings are not complete: ${[...this.#problems].join('; ')}`);
  }

  optional(name: string): string | undefined {
    const file = this.#env[`${name}_FILE`]?.trim() || undefined;
    const value = this.#env[name]?.trim() || undefined;
    if (file === undefined) return value;
    if (value !== undefined) this.#problems.add(`set ${name} or ${name}_FILE, not both`);
    try {
      return readFileSync(file, 'utf8').trim() || undefined;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      this.#problems.add(`the file in ${name}_FILE cannot be read (${code})`);
      return undefined;
    }
  }

  required(name: string): string {
    const value = this.optional(name);
    if (value === undefined) this.#problems.add(`set ${name} or ${name}_FILE`);
    return value ?? '';
  }

  /** One secret per line, each with at least 32 bytes. */
  secrets(name: string): readonly string[] {
    const lines = this.required(name)
      .split('\n')
      .map((line) => line.trim());
    const secrets = lines.filter((line) => line !== '');
    if (secrets.some((secret) => Buffer.byteLength(secret) < shortestSecretBytes))
      this.#problems.add(`each secret in ${name} must have at least ${shortestSecretBytes} bytes`);
    return secrets;
  }

  /** A single secret. */
  secret(name: string): string {
    const secrets = this.secrets(name);
    if (secrets.length > 1) this.#problems.add(`${name} must be one secret`);
    return secrets[0] ?? '';
  }

  wholeNumber(name: string, { fallback, least, most }: WholeNumber): number {
    const value = this.optional(name);
    if (value === undefined) return fallback;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
    if (!(number >= least && number <= most))
      this.#problems.add(`${name} must be a whole number from ${least} to ${most}`);
    return number;
  }

  oneOf<Value extends string>(name: string, values: readonly Value[], fallback: Value): Value {
    const value = this.optional(name);
    const found = values.find((allowed) => allowed === value);
    if (value !== undefined && found === undefined) this.#problems.add(`${name} must be one of ${values.join(', ')}`);
    return found ?? fallback;
  }
}
