import { ConfigurationError } from '@halyard/contracts';

/**
 * Tells a Restate cluster where the app is, once for each version of the app: new runs go to the
 * deployment that was registered last.
 *
 * @param admin the address of its admin API, such as `http://restate:9070`.
 * @param deployment where it reaches the processes of the app, such as `http://app:9080`.
 * @throws ConfigurationError when Restate refuses it.
 */
export async function registerDeployment(
  admin: string,
  deployment: string,
  { force = false }: { readonly force?: boolean } = {},
): Promise<void> {
  const response = await fetch(new URL('/deployments', admin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: deployment, force }),
  });
  if (response.ok) return;
  throw new ConfigurationError(
    `Restate at ${admin} does not register ${deployment} (${response.status}): ${await response.text()}`,
  );
}
