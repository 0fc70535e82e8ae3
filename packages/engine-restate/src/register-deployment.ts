import { ConfigurationError } from '@halyard/contracts';
import { names } from './objects/protocol.ts';

export interface RegisterOptions {
  /** Replaces what is registered at this address, also if handlers are missing now. Default: false. */
  readonly force?: boolean | undefined;
}

/** What a Restate cluster knows of the app. */
export interface Registration {
  /** That of the cluster. */
  readonly version: string;
  /** The addresses to which new calls go. */
  readonly deployments: readonly string[];
  /** The objects of the engine that are not registered. */
  readonly missing: readonly string[];
}

/**
 * Tells a Restate cluster where the app is: new calls go to the deployment that was registered
 * last. To register it again changes nothing.
 *
 * @param admin the address of its admin API, such as `http://restate:9070`.
 * @param deployment where it reaches the processes of the app, such as `http://app:9080`.
 * @throws ConfigurationError when Restate does not answer or refuses it.
 */
export async function registerDeployment(
  admin: string,
  deployment: string,
  { force = false }: RegisterOptions = {},
): Promise<void> {
  if (!URL.canParse(deployment))
    throw new ConfigurationError(`The address of a deployment must be a URL, not ${deployment}`);
  const response = await callAdmin(admin, '/deployments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: deployment, force }),
  });
  if (response.ok) return;
  throw new ConfigurationError(
    `Restate at ${admin} does not register ${deployment} (${response.status}): ${await messageOf(response)}`,
  );
}

/**
 * Asks a Restate cluster what it knows of the app.
 *
 * @param admin the address of its admin API, such as `http://restate:9070`.
 * @throws ConfigurationError when it does not answer, or is no Restate.
 */
export async function findRegistration(admin: string): Promise<Registration> {
  const { version } = await readAdmin<{ readonly version: string }>(admin, '/version');
  // The storage answers it, unlike the other two.
  const { rows } = await readAdmin<{ readonly rows: readonly Registered[] }>(admin, '/query', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query:
        'select s.name, d.endpoint, (select count(*) from state) as size from sys_service s join sys_deployment d on s.deployment_id = d.id',
    }),
  });
  const ours = rows.filter(({ name }) => Object.values<string>(names).includes(name));
  return {
    version,
    deployments: [...new Set(ours.map(({ endpoint }) => endpoint))],
    missing: Object.values(names).filter((name) => !ours.some((one) => one.name === name)),
  };
}

interface Registered {
  readonly name: string;
  readonly endpoint: string;
}

async function readAdmin<Body>(admin: string, path: string, request: RequestInit = {}): Promise<Body> {
  const response = await callAdmin(admin, path, request);
  const text = await response.text();
  try {
    if (response.ok) return JSON.parse(text) as Body;
  } catch {
    // Something else listens there.
  }
  throw new ConfigurationError(`${admin} is not the admin API of Restate: ${path} answered ${response.status}`);
}

async function callAdmin(admin: string, path: string, request: RequestInit): Promise<Response> {
  if (!URL.canParse(admin)) throw new ConfigurationError(`The address of Restate must be a URL, not ${admin}`);
  try {
    return await fetch(new URL(path, admin), { ...request, signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    throw new ConfigurationError(`Restate at ${admin} does not answer`, { cause: error });
  }
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { readonly message?: string }).message ?? text;
  } catch {
    return text;
  }
}
