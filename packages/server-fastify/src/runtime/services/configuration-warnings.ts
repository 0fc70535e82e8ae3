import type { Storage } from '@halyard/contracts';
import type { HalyardOptions } from '../../server-options.ts';

export interface ConfigurationWarning {
  /** The option to change. */
  readonly option: string;
  readonly message: string;
}

/** Settings that are a risk in production. */
export function configurationWarnings(
  options: HalyardOptions,
  storage: Pick<Storage, 'approvals'>,
): readonly ConfigurationWarning[] {
  const { auth, secret, telemetry } = options;
  const warnings: ConfigurationWarning[] = [];
  if (auth === undefined)
    warnings.push({
      option: 'auth',
      message: 'Every route is open: anybody who reaches this server can read and change everything.',
    });
  if (auth !== undefined && auth.consoleKey === undefined && !process.env['SERVICE_CONSOLE_ACCESS_KEY'])
    warnings.push({
      option: 'auth.consoleKey',
      message: 'No console key is set: in production, nobody can open the console and the documents.',
    });
  if (auth?.mode === 'legacy')
    warnings.push({
      option: 'auth.mode',
      message: 'Legacy mode is deprecated and leaves many routes open. Use policy mode.',
    });
  if (storage.approvals.lifeId !== undefined)
    warnings.push({ option: 'storage', message: 'Everything is stored in this process and is lost when it ends.' });
  if (secret === undefined && !process.env['HALYARD_SECRET'])
    warnings.push({
      option: 'secret',
      message: 'Approvals are signed with a random secret: they are valid in this process only. Set HALYARD_SECRET.',
    });
  if (telemetry === false)
    warnings.push({ option: 'telemetry', message: 'Nothing is recorded: traces, logs and metrics are empty.' });
  return warnings;
}
