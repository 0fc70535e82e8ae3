import type { findRegistration as FindRegistration } from '@halyard/engine-restate';
import semver from 'semver';
import type { AppPackages } from '../app-packages.ts';
import type { RestateFlags } from '../commands/restate-register.ts';
import type { Check } from './check.ts';

/** Older ones lack the retries of the engine. */
const neededRestate = '1.5.0';

/** Whether the Restate cluster of the app responds, and knows where the app is. */
export async function checkRestate(
  { admin }: RestateFlags,
  { packages }: { readonly packages: AppPackages },
): Promise<readonly Check[]> {
  if (!packages.has('@halyard/engine-restate')) return [];
  const id = 'restate';
  if (admin === undefined || admin.trim() === '')
    return [
      {
        id,
        status: 'skipped',
        message: 'The address of Restate is not known',
        fix: 'Set RESTATE_ADMIN_URL or pass --restate-admin, such as http://127.0.0.1:9070',
      },
    ];
  const { findRegistration } = (await packages.load('@halyard/engine-restate', 'doctor')) as {
    readonly findRegistration: typeof FindRegistration;
  };
  let found: Awaited<ReturnType<typeof FindRegistration>>;
  try {
    found = await findRegistration(admin);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [{ id, status: 'failed', message, fix: 'Start Restate, or correct RESTATE_ADMIN_URL or --restate-admin' }];
  }
  const { deployments, missing, version } = found;
  const server: Check = semver.lt(version, neededRestate)
    ? {
        id,
        status: 'failed',
        message: `Restate ${version} is too old: the engine needs ${neededRestate} or later`,
        fix: 'Update the Restate server',
      }
    : { id, status: 'ok', message: `Restate ${version} at ${admin} answers, and so does its storage` };
  return [server, registration(deployments, missing)];
}

function registration(deployments: readonly string[], missing: readonly string[]): Check {
  const id = 'restate:registration';
  if (missing.length === 0)
    return { id, status: 'ok', message: `Restate calls the app at ${deployments.join(' and ')}` };
  return {
    id,
    status: 'failed',
    message:
      deployments.length === 0
        ? 'Restate does not know where the app is'
        : `Restate knows an older version of the engine: ${missing.join(', ')} is missing`,
    fix: 'halyard restate register http://<address of the app>:<port of the engine>',
  };
}
