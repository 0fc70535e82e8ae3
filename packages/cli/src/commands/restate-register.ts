import type { registerDeployment as RegisterDeployment } from '@halyard/engine-restate';
import { AppPackages } from '../app-packages.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import { withProgress } from '../progress.ts';
import { plain, print, style } from '../terminal.ts';

/** The options that name a Restate cluster. */
export interface RestateFlags {
  /** The address of the admin API. */
  readonly admin?: string | undefined;
}

export interface RegisterFlags extends RestateFlags {
  readonly force?: boolean;
}

/** Tells the Restate cluster of the app where the app is. */
export async function restateRegister(
  deployment: string,
  { admin = 'http://127.0.0.1:9070', force = false }: RegisterFlags,
): Promise<number> {
  const { registerDeployment } = (await new AppPackages(process.cwd()).load(
    '@halyard/engine-restate',
    'restate register',
  )) as { readonly registerDeployment: typeof RegisterDeployment };
  try {
    await withProgress('Registering', () => registerDeployment(admin, deployment, { force }));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new CliError(`${error.message}.`.replace(/\.\.$/, '.'), {
      cause: error,
      fix: 'Start Restate and the app first. Both addresses must be those at which they reach each other',
    });
  }
  print(`${style('✓', 'green')} Restate at ${plain(admin)} calls the app at ${plain(deployment)}.`);
  return exitCodes.ok;
}
